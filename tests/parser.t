# The records that the parser makes of a stream. parser_script.h explains this format.

# Output.

case plain output
line %output %1 hello
expect output %1 hello

case escapes and raw bytes in output
line %output %12 a\015\012b\134c\000d|~é
expect output %12 a\015\012b\134c\000d\174~\303\251

case output lines of one pane go on, those of another do not
line %output %1 ab
line %output %1 c\015
line %output %2 x
line %output %1 y
expect output %1 abc\015
expect output %2 x
expect output %1 y

case malformed escapes stay as they are
line %output %1 \4001\8\12x\1\\015\
expect output %1 \1344001\1348\13412x\1341\134\015\134

case an escape cut off by the end of its line is none
line %output %1 a\01
line %output %1 5
expect output %1 a\134015

case bytes that cannot begin an escape are given out before the line has ended
feed %output %1 a\\6
expect output %1 a\1346

case the beginning of an escape is kept back
feed %output %1 a\\36
expect output %1 a

case all octal digits
line %output %1 \377\200\177\000\100
expect output %1 \377\200\177\000@

case extended output
line %extended-output %3 12 : a\033b : c
line %extended-output %3 0 : d
line %extended-output %3 7 new words : e
expect output %3 +12 a\033b : c
expect output %3 d
expect output %3 +7 e

case the colon of another line does not make a line extended output
line %extended-output %1 5 x
line %output %1 a : b
expect event ?extended-output %1 5 x
expect output %1 a : b

case output with nothing in it
line %output %1 
expect event window-add @1
line %window-add @1

case lines that are almost output
line %output 1 x
line %output %x y
line %output %4294967295 y
line %output %
line %output %1
line %outputs %1 y
line %extended-output %1 x : y
line %extended-output %1 1 y
line %outpu
expect event ?output 1 x
expect event ?output %x y
expect event ?output %4294967295 y
expect event ?output %
expect event ?output %1
expect event ?outputs %1 y
expect event ?extended-output %1 x : y
expect event ?extended-output %1 1 y
expect event ?outpu 

case a carriage return before the newline is data
feed %output %1 a\r\n%window-add @1\r\n
expect output %1 a\015
expect event ?window-add @1\015

case NUL bytes
feed %output %1 a\0b\n\0x\n%message a\0b\n%mess\0age a\n
expect output %1 a\000b
expect stray \000x
expect event message =a\000b
expect event ?mess a

case a name with a NUL in it is not the one before the NUL
feed %window-add\0x @1\n
expect event ?window-add @1

# Events and stray lines.

case each kind of event
line %window-renamed @3 a name with  spaces
line %window-renamed @3 
line %session-changed $1 main
line %layout-change @0 b25f,80x24,0,0,1 b25f,80x24,0,0,1 *
line %exit
line %exit too far behind
line %brand-new thing
expect event window-renamed @3 =a name with  spaces
expect event window-renamed @3 =
expect event session-changed $1 =main
expect event layout-change @0 /b25f,80x24,0,0,1/b25f,80x24,0,0,1/*
expect event exit =
expect event exit =too far behind
expect event ?brand-new thing

case raw lines outside of blocks
line no server running
line 
line  %window-add @1
expect stray no server running
expect stray 
expect stray  %window-add @1

case a guard that closes nothing is an unknown event
line %end 1 2 1
line %begin 1 2
line %begin 1 2 3
expect event ?end 1 2 1
expect event ?begin 1 2
expect event ?begin 1 2 3

# Blocks, no nonce awaited.

case a block
line %begin 1700000000 260 0
line %end 1700000000 260 0
line %sessions-changed
expect block 1700000000 260 theirs ok 
expect event sessions-changed

case a block that failed
line %begin 5 6 1
line unknown command: x
line %error 5 6 1
expect block 5 6 ours error unknown command: x|

case in a block nothing means anything but its own end
line %begin 5 6 1
line %exit
line %output %1 x
line %begin 5 7 1
line %end 5 7 1
line %end 5 6 0
line %end 4 6 1
line %end 5 6 1 
line  %end 5 6 1
line 
line %end 5 6 1
line %exit
expect block 5 6 ours ok %exit|%output %1 x|%begin 5 7 1|%end 5 7 1|%end 5 6 0|%end 4 6 1|%end 5 6 1 | %end 5 6 1||
expect event exit =

case output between blocks
line %begin 1 2 1
line a
line %end 1 2 1
line %output %1 b
line %begin 1 3 1
line %end 1 3 1
expect block 1 2 ours ok a|
expect output %1 b
expect block 1 3 ours ok 

# Sentinels.

case a reply and its sentinel
nonces a
line %begin 10 20 1
line body
line %end 10 20 1
line %begin 10 21 1
line <a>
line %end 10 21 1
line %window-add @1
expect block 10 20 ours ok body|
expect sentinel 0
expect event window-add @1

case lines before the first block are given out at once
nonces a
line %output %1 x
line %window-add @1
line raw
expect output %1 x
expect event window-add @1
expect stray raw

case a reply is kept back until the sentinel is whole
nonces a
line %begin 10 20 1
line body
line %end 10 20 1
line %output %1 later
line %begin 10 21 1
line <a>

case a command that gives no block
nonces a
line %begin 10 21 1
line <a>
line %end 10 21 1
expect sentinel 0

case the greeting comes into the first segment
nonces a
line %begin 10 20 0
line %end 10 20 0
line %window-add @0
line %session-changed $0 s
line %begin 10 24 1
line x
line %end 10 24 1
line %begin 10 25 1
line <a>
line %end 10 25 1
expect block 10 20 theirs ok 
expect event window-add @0
expect event session-changed $0 =s
expect block 10 24 ours ok x|
expect sentinel 0

case the greeting was under way when the nonce was announced
line %begin 10 20 0
nonces a
line hello
line %end 10 20 0
line %begin 10 24 1
line x
line %end 10 24 1
line %begin 10 25 1
line <a>
line %end 10 25 1
expect block 10 20 theirs ok hello|
expect block 10 24 ours ok x|
expect sentinel 0

case a list of commands, one segment each
nonces a b z
line %begin 10 20 1
line first
line %end 10 20 1
line %begin 10 21 1
line <a>
line %end 10 21 1
line %begin 10 22 1
line second
line %end 10 22 1
line %begin 10 23 1
line <b>
line %end 10 23 1
line %output %1 between
line %begin 10 24 1
line <z>
line %end 10 24 1
expect block 10 20 ours ok first|
expect sentinel 0
expect block 10 22 ours ok second|
expect sentinel 1
expect output %1 between
expect sentinel 2

case a list of which the second command fails
nonces a b c z
line %begin 10 20 1
line %end 10 20 1
line %begin 10 21 1
line <a>
line %end 10 21 1
line %begin 10 22 1
line no such window
line %error 10 22 1
line %window-add @1
line %begin 10 24 1
line <z>
line %end 10 24 1
expect block 10 20 ours ok 
expect sentinel 0
expect block 10 22 ours error no such window|
expect event window-add @1
expect sentinel 3

case a line that tmux cannot parse
nonces a z
line %begin 10 20 1
line parse error: syntax error
line %error 10 20 1
line %begin 10 21 1
line <z>
line %end 10 21 1
expect block 10 20 ours error parse error: syntax error|
expect sentinel 1

case lists follow each other
nonces a b | c | d
line %begin 10 20 1
line %end 10 20 1
line %begin 10 21 1
line <b>
line %end 10 21 1
line %begin 10 22 1
line %end 10 22 1
line %begin 10 23 1
line <c>
line %end 10 23 1
line %output %1 x
line %begin 10 24 1
line <d>
line %end 10 24 1
line %begin 10 25 1
line <d>
line %end 10 25 1
expect block 10 20 ours ok 
expect sentinel 1
expect block 10 22 ours ok 
expect sentinel 0
expect output %1 x
expect sentinel 0
expect block 10 25 ours ok dddddddddddddddddddddddddddddddd|

case a sentinel that is a command which does not exist
nonces a
line %begin 10 20 1
line x
line %end 10 20 1
line %begin 10 21 1
line parse error: unknown command: <a>
line %error 10 21 1
expect block 10 20 ours ok x|
expect sentinel 0

case what is almost such a sentinel
nonces a
line %begin 10 20 1
line x
line %end 10 20 1
line %begin 10 21 1
line parse error: unknown command: <b>
line %error 10 21 1
line %begin 10 22 1
line unknown command: <a>
line %error 10 22 1
line %begin 10 23 1
line parse error: unknown command:  <a>
line %error 10 23 1
line %begin 10 24 1
line parse error: unknown command: <a> 
line %error 10 24 1

case what is almost a sentinel
nonces a
line %begin 10 20 1
line <a>
line not the end
line %end 10 20 1
line %begin 10 21 0
line <a>
line %end 10 21 0
line %begin 10 22 1
line  <a>
line %end 10 22 1
line %begin 10 23 1
line <a>0
line %end 10 23 1
line %begin 10 24 1
line <b>
line %end 10 24 1
line %begin 10 25 1
line x
line <a>
line %end 10 25 1
line %begin 10 26 1
line <a>
line %error 10 26 0

case a nonce that is called off gives back what was kept
nonces a
line %begin 10 20 1
line body
line %end 10 20 1
line %output %1 x\015
line %begin 10 21 1
feed half a l
nonces
line ine
line %end 10 21 1
expect block 10 20 ours ok body|
expect output %1 x\015
expect block 10 21 ours ok half a line|

case a nonce that is called off before anything came
nonces a
nonces
line %begin 10 20 1
line %end 10 20 1
expect block 10 20 ours ok 

# More blocks than commands.

case an alias of two commands, a hook, and what happened meanwhile
nonces a
line %begin 10 20 1
line one
line %end 10 20 1
line %begin 10 21 1
line two
line %end 10 21 1
line %begin 10 22 0
line hook
line %end 10 22 0
line %output %1 x
line raw
line %begin 10 25 1
line <a>
line %end 10 25 1
expect block 10 20 ours ok one|
expect block 10 21 ours ok two|
expect block 10 22 theirs ok hook|
expect output %1 x
expect stray raw
expect sentinel 0

case the time goes on between blocks
nonces a
line %begin 10 20 1
line %end 10 20 1
line %begin 11 21 0
line h
line %error 11 21 0
line %begin 12 22 1
line <a>
line %end 12 22 1
expect block 10 20 ours ok 
expect block 11 21 theirs error h|
expect sentinel 0

case the clock was set back between blocks
nonces a
line %begin 12 20 1
line %end 12 20 1
line %begin 11 21 0
line %end 11 21 0
line %begin 10 22 1
line <a>
line %end 10 22 1
expect block 12 20 ours ok 
expect block 11 21 theirs ok 
expect sentinel 0

case tmux's counter wraps
nonces a
line %begin 12 4294967295 1
line %end 12 4294967295 1
line %begin 12 0 0
line %end 12 0 0
line %begin 12 1 1
line <a>
line %end 12 1 1
expect block 12 4294967295 ours ok 
expect block 12 0 theirs ok 
expect sentinel 0

# Forgeries by foreign text.

case text that holds its own end, and an event behind it
nonces a
line %begin 10 20 1
line %end 10 20 1
line %session-renamed $0 PWNED
line %exit
line %end 10 20 1
line %begin 10 21 1
line <a>
line %end 10 21 1
expect block 10 20 ours ok %end 10 20 1|%session-renamed $0 PWNED|%exit|
expect sentinel 0

case text that holds its own end as an error
nonces a
line %begin 10 20 1
line %error 10 20 1
line %output %0 forged
line %end 10 20 1
line %begin 10 21 1
line <a>
line %end 10 21 1
expect block 10 20 ours ok %error 10 20 1|%output %0 forged|
expect sentinel 0

case text that forges an end and a block behind it
nonces a
line %begin 10 20 1
line %end 10 20 1
line %begin 10 21 1
line forged reply
line %end 10 21 1
line %end 10 20 1
line %begin 10 22 1
line <a>
line %end 10 22 1
expect block 10 20 ours ok %end 10 20 1|%begin 10 21 1|forged reply|%end 10 21 1|
expect sentinel 0

case text that forges a whole sentinel but for the nonce
nonces a
line %begin 10 20 1
line %end 10 20 1
line %begin 10 21 1
line <b>
line %end 10 21 1
line %window-close @0
line %end 10 20 1
line %begin 10 21 1
line <a>
line %end 10 21 1
expect block 10 20 ours ok %end 10 20 1|%begin 10 21 1|bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb|%end 10 21 1|%window-close @0|
expect sentinel 0

case text with all guards of its near future, two blocks in the segment
nonces a
line %begin 10 20 1
line %end 10 20 1
line %begin 10 21 0
line %end 10 21 0
line %window-close @0
line %end 10 20 1
line %begin 10 21 0
line hook
line %end 10 21 0
line %begin 10 22 1
line <a>
line %end 10 22 1
expect block 10 20 ours ok %end 10 20 1|%begin 10 21 0|%end 10 21 0|%window-close @0|
expect block 10 21 theirs ok hook|
expect sentinel 0

case text of a hook that holds the end of the block before
nonces a
line %begin 10 20 1
line body
line %end 10 20 1
line %begin 10 21 0
line %end 10 20 1
line %end 10 21 0
line %begin 10 22 1
line <a>
line %end 10 22 1
expect block 10 20 ours ok body|
expect block 10 21 theirs ok %end 10 20 1|
expect sentinel 0

case guards with numbers that tmux cannot have given out are text
nonces a
line %begin 10 20 1
line body
line %end 10 20 1
line %begin 10 21 0
line %begin 10 99 0
line %end 10 19 1
line %end 9 21 0
line %end 11 21 0
line %end 10 22 1
line %end 10 21 0
line %window-add @1
line %begin 10 22 1
line <a>
line %end 10 22 1
expect block 10 20 ours ok body|
expect block 10 21 theirs ok %begin 10 99 0|%end 10 19 1|%end 9 21 0|%end 11 21 0|%end 10 22 1|
expect event window-add @1
expect sentinel 0

case a raw line with a number that tmux cannot have given out spoils nothing
nonces a
line %begin 10 20 1
line body
line %end 10 20 1
line %end 10 99 1
line %begin 10 21 0
line %end 10 20 1
line %end 10 21 0
line %begin 10 22 1
line <a>
line %end 10 22 1
expect block 10 20 ours ok body|
expect event ?end 10 99 1
expect block 10 21 theirs ok %end 10 20 1|
expect sentinel 0

case the text of an error that holds its own end
nonces a z
line %begin 10 20 1
line invalid window name: x
line %error 10 20 1
line %window-close @0
line %error 10 20 1
line %begin 10 22 1
line <z>
line %end 10 22 1
expect block 10 20 ours error invalid window name: x|%error 10 20 1|%window-close @0|
expect sentinel 1

case a raw line that looks like an end leaves the rest as it was
nonces a
line %begin 10 20 1
line body
line %end 10 20 1
line %end 10 21 0
line %window-add @1
line %begin 10 22 1
line <a>
line %end 10 22 1
expect block 10 20 ours ok body|
expect event ?end 10 21 0
expect event window-add @1
expect sentinel 0

case a segment whose first block has no end
nonces a
line %begin 10 20 1
line body
line %begin 10 22 1
line <a>
line %end 10 22 1
expect block 10 20 ours ok body|
expect sentinel 0
