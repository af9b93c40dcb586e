#!/bin/sh
# SPDX-License-Identifier: ISC
# The tools of the group "code", run as muxbusd runs them, on a small project in C.
# shellcheck disable=SC2016

. "${MUXBUS_SRCDIR:-.}/tests/tap.sh"
tools=$(cd "${MUXBUS_SRCDIR:-.}/contrib/tools" && pwd)
need_python
need jq
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' INT TERM
# Where rustup has the compiler.
export RUSTUP_HOME="${RUSTUP_HOME:-$HOME/.rustup}" CARGO_HOME="${CARGO_HOME:-$HOME/.cargo}"
export HOME="$dir" LC_ALL=C.UTF-8 GIT_CEILING_DIRECTORIES="$dir"

# tool NAME ARGUMENTS: its answer, or "error: " and its error.
tool() { # the path of code_search is an array, as muxbusd makes it
	if printf '%s\n' "$2" | jq -c --arg tool "$1" 'if .path and $tool == "code_search" then .path = [.path] else . end' | "$tools/$1" >"$dir/answer" 2>"$dir/error"; then
		cat "$dir/answer"
	else
		sed 's/^/error: /' "$dir/error"
	fi
}

mkdir -p "$dir/project/lib" && cd "$dir/project" || exit 99
cat >main.c <<'SOURCE'
/* free(everything) */
int twice(int x);

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 5)
		return twice(argc);
	return 0;
}
SOURCE
cat >lib/twice.c <<'SOURCE'
#include <stdlib.h>
void *box;

int twice(int x)
{
	free(box);
	return x +
	    x;
}
SOURCE

# ---- code_search with ast-grep
if command -v ast-grep >/dev/null; then
	is 'code_search: a pattern, not in comments' "$(tool code_search '{"pattern":"free($A)","language":"c"}')" \
		"$(printf 'lib/twice.c:6: \tfree(box);\n[1 match, found by ast-grep.]')"
	is 'code_search: without a language' "$(tool code_search '{"pattern":"return $A;"}' | sort)" \
		"$(printf '[3 matches, found by ast-grep.]\nlib/twice.c:7-8: \treturn x +\nmain.c:8: \t\treturn twice(argc);\nmain.c:9: \treturn 0;')"
	is 'code_search: with context' "$(tool code_search '{"pattern":"free($A)","language":"c","path":"lib","context":1}')" \
		"$(printf 'lib/twice.c-5: {\nlib/twice.c:6: \tfree(box);\nlib/twice.c-7: \treturn x +\n--\n[1 match, found by ast-grep.]')"
	is 'code_search: a tree-sitter query' \
		"$(tool code_search '{"query":"(function_definition declarator: (function_declarator) @name)","language":"c"}' | sort)" \
		"$(printf '[2 matches, found by ast-grep.]\nlib/twice.c:4-9: int twice(int x)\nmain.c:4-10: int main(int argc, char **argv)')"
	is 'code_search: with a predicate' \
		"$(tool code_search '{"query":"((call_expression function: (identifier) @f) @call (#eq? @f \"twice\"))","language":"c"}')" \
		"$(printf 'main.c:8: \t\treturn twice(argc);\n[1 match, found by ast-grep.]')"
	is 'code_search: with another' \
		"$(tool code_search '{"query":"(return_statement (_) @value (#match? @value \"^[0-9]+$\"))","language":"c"}')" \
		"$(printf 'main.c:9: \treturn 0;\n[1 match, found by ast-grep.]')"
	is 'code_search: alternatives' \
		"$(tool code_search '{"query":"[(if_statement) (preproc_include)] @x","language":"c"}' | tail -n 1)" '[2 matches, found by ast-grep.]'
	is 'code_search: more than the limit' "$(tool code_search '{"pattern":"return $A;","language":"c","limit":1}' | tail -n 1)" \
		'[1 match, found by ast-grep; there are more: narrow path, or raise limit=1.]'
	is 'code_search: a kind that the language does not have' "$(tool code_search '{"query":"(function_item)","language":"c"}')" \
		'error: ast-grep: Kind `function_item` is invalid.'
	is 'code_search: an unfinished query' "$(tool code_search '{"query":"(if_statement","language":"c"}')" \
		'error: the query ends too early: a ")" or "]" is missing'
	is 'code_search: a query without a language' "$(tool code_search '{"query":"(if_statement)"}')" \
		'error: a query needs language, as kinds of nodes differ: c, python, rust, ...'
	printf 'ruleDirs: {' >sgconfig.yml # in which a project may name parsers to load
	is 'code_search: the configuration of the project is not read' \
		"$(tool code_search '{"pattern":"free($A)","language":"c"}' | tail -n 1)" '[1 match, found by ast-grep.]'
	rm sgconfig.yml
else
	skip 'ast-grep is not installed'
fi

# ---- code_search without it: a folder of programs in which ast-grep is not
mkdir "$dir/bin"
for program in git grep; do
	path=$(command -v $program) && ln -s "$path" "$dir/bin/$program"
done
reduced='ast-grep is not installed: these are lines found by'
rest='as text, also in comments and strings, and code over several lines is missed.]'
plainly() {
	(PATH=$1 && export PATH && shift && printf '%s\n' "$1" | "$tools/code_search" 2>&1)
}
mkdir "$dir/grep"
ln -s "$(command -v grep)" "$dir/grep/grep"
is 'code_search: as text, by grep' "$(plainly "$dir/grep" '{"pattern":"free($A)","language":"c"}' | sort)" \
	"$(printf '%s\n' "[2 matches, $reduced grep $rest" 'lib/twice.c:6: 	free(box);' 'main.c:1: /* free(everything) */')"
is 'code_search: in one file' "$(plainly "$dir/grep" '{"pattern":"free($A)","path":["lib/twice.c"]}' | head -n 1)" 'lib/twice.c:6: 	free(box);'
# A file that cannot be read, and so many that their errors fill a pipe, which a search must read.
mkdir unread && echo 'free(u);' >unread/u.c
printf '#!/bin/sh\nseq -f "grep: ./no_file_%%g.c: Permission denied" 9000 >&2\nprintf "./u.c\\0001:free(u);\\n"\nexit 2\n' >"$dir/grep_of_many"
mkdir "$dir/many" && mv "$dir/grep_of_many" "$dir/many/grep" && chmod +x "$dir/many/grep"
ln -s "$(command -v seq)" "$dir/many/seq"
is 'code_search: what can be read, where other files cannot' \
	"$(timeout 30 sh -c "PATH=$dir/many; cd unread; echo '{\"pattern\":\"free(\$A)\"}' | '$tools/code_search' 2>&1")" \
	"$(printf "u.c:1: free(u);\\n[1 match, $reduced grep %s" "${rest%.]}; not all files could be read: grep: ./no_file_9000.c: Permission denied.]")"
is 'code_search: an error of the search itself' "$(printf '#!/bin/sh\necho "grep: out of memory" >&2\nexit 2\n' >"$dir/many/grep"; plainly "$dir/many" '{"pattern":"x"}')" \
	'grep: grep: out of memory'
rm -r unread
is 'code_search: nothing found' "$(plainly "$dir/grep" '{"pattern":"absent()"}')" "[0 matches, $reduced grep $rest"
is 'code_search: a query needs ast-grep' "$(plainly "$dir/grep" '{"query":"(x)","language":"c"}')" \
	'ast-grep is not installed, which a query needs: npm install -g @ast-grep/cli, or give pattern'
if command -v git >/dev/null; then
	git init -q . && echo ignored.c >.gitignore && echo 'free(it);' >ignored.c && echo 'free(x);' >'-a
b.c'
	# A repository of strangers, with a file that no memory holds.
	mkdir "$dir/hostile" && (
		cd "$dir/hostile" && git init -q . && printf 'int needle;\n' >a.c && seq 5000 | sed '1s/.*/int needle2;/' >deep.c
		truncate -s 20G deep.c && mkfifo pipe.c && ln -s /dev/zero zero.c && ln -s . self
		for name in core.fsmonitor core.pager core.sshCommand diff.external diff.x.textconv filter.x.clean filter.x.smudge; do
			git config $name "touch '$dir/attacked'"
		done
		echo '*.c diff=x filter=x' >.gitattributes
	)
	is 'code_search: a hostile repository, and a file of 20 GB' \
		"$(ulimit -v 8000000; plainly "$dir/bin" "{\"pattern\": \"int \$A;\", \"path\": [\"$dir/hostile\"]}" | head -n 1)" \
		"$dir/hostile/a.c:1: int needle;"
	is 'code_search: runs nothing that it configures' "$(ls "$dir/attacked" 2>/dev/null)" ''
	rm -rf "$dir/hostile"
	git config color.ui always && git config grep.column true && git config grep.fullName true
	is 'code_search: as text, by git grep, without ignored files' \
		"$(plainly "$dir/bin" '{"pattern":"free($A)","language":"c"}' | sort)" \
		"$(printf '%s\n' '"-a\nb.c":1: free(x);' "[3 matches, $reduced git grep $rest" 'lib/twice.c:6: 	free(box);' 'main.c:1: /* free(everything) */')"
	(
		commit() { git -c user.name=x -c user.email=x commit -qm x "$@"; }
		mkdir -p "$dir/outer/one" "$dir/outer/plain/two/three" && cd "$dir/outer" && git init -q . && echo 'free(o);' >o.c
		for inner in one plain/two plain/two/three; do
			(cd $inner && git init -q . && echo 'free(i);' >i.c && echo g.c >.gitignore && echo 'free(g);' >g.c && git add i.c && commit)
		done
		cp one/i.c one/o.c && git add one 2>/dev/null && commit # as a submodule
	)
	is 'code_search: in the repositories in a repository too' \
		"$(cd "$dir/outer" && plainly "$dir/bin" '{"pattern":"free($A)"}' | sort)" \
		"$(printf '%s\n' "[5 matches, $reduced git grep $rest" 'o.c:1: free(o);' 'one/i.c:1: free(i);' 'one/o.c:1: free(i);' \
			'plain/two/i.c:1: free(i);' 'plain/two/three/i.c:1: free(i);')"
	is 'code_search: not for one file' "$(cd "$dir/outer" && plainly "$dir/bin" '{"pattern":"free($A)","path":["o.c"]}' | grep -c free)" 1
	is 'code_search: no more than the limit there' "$(cd "$dir/outer" && plainly "$dir/bin" '{"pattern":"free($A)","limit":2}' | grep -c free)" 2
	is 'code_search: in a folder of the project' "$(cd lib && plainly "$dir/bin" '{"pattern":"free($A)"}' | head -n 1)" 'twice.c:6: 	free(box);'
else
	skip 'git is not installed'
fi
is 'code_search: neither pattern nor query' "$(tool code_search '{}' | cut -c 1-41)" 'error: give either pattern, code such as '
tool code_search '{"searches":[{"name":"one","pattern":"free(box)","paths":["lib/twice.c"]},{"query":"(x)"},{"name":"none","pattern":"zzz"}]}' >/dev/null
is 'code_search: several, under their names' "$(grep -v '^\[.* match' "$dir/answer")" "$(printf '== one ==\nlib/twice.c:6: \tfree(box);\n== search 2 ==\n[This search failed: ast-grep is not installed, which a query needs: npm install -g @ast-grep/cli, or give pattern]\n== none ==')"
is 'code_search: one with an unknown parameter' "$(tool code_search '{"searches":[{"name":"x","patern":"a"}]}')" \
	"error: search 1 (x) has no parameter 'patern': there are name, pattern, query, language, path, context, limit"
is 'code_search: none' "$(tool code_search '{"searches":[]}')" 'error: searches has 0 members: 1 to 20 are possible'
is 'code_search: a missing path' "$(tool code_search '{"pattern":"x","path":"missing"}')" \
	"error: $PWD/missing: No such file or directory"

# ---- code_coverage
if command -v gcc >/dev/null && command -v gcov >/dev/null; then
	gcc -O0 --coverage -o program main.c lib/twice.c || exit 99
	is 'code_coverage: C' "$(tool code_coverage '{"kind":"c","command":["./program"]}' | jq -c '[.tests, .percent, (.files | map([.file, (.percent | round), .covered, .lines]))]')" \
		'["passed",42.9,[["lib/twice.c",0,0,3],["main.c",75,3,4]]]'
	is 'code_coverage: tests that fail' \
		"$(tool code_coverage '{"kind":"c","command":["./program","1","2","3","4","5"]}' | jq -c '[.tests, (.files[0].percent | round)]')" \
		'["failed with exit status 12",100]'
	is 'code_coverage: the counters of the project stay' "$(find . -name '*.gcda' | wc -l)" 0
	is 'code_coverage: without counters' "$(tool code_coverage '{"kind":"c","command":["true"]}' | head -n 1)" \
		'error: no program has written counters: build with CFLAGS=--coverage; the tests passed. The last output:'
else
	skip 'gcc and gcov are not installed'
fi
mkdir python other
printf 'def f(x):\n    if x:\n        return 1\n    return 2\n' >python/code_of.py
printf 'import unittest, code_of\nclass T(unittest.TestCase):\n    def test(self):\n        self.assertEqual(code_of.f(1), 1)\n' >python/test_code_of.py
printf '#!/bin/sh\n[ "$1" = -c ] && echo /other/python3\nexit 1\n' >other/python3
chmod +x other/python3
if /usr/bin/python3 -c 'import coverage' 2>/dev/null; then
	is 'code_coverage: Python' \
		"$(PATH=/usr/bin:/bin tool code_coverage '{"path":"python","kind":"python","command":["-m","unittest"]}' | jq -c '[.tests, (.files | map([.file, .covered, .lines]))]')" \
		'["passed",[["code_of.py",3,4],["test_code_of.py",4,4]]]'
	printf 'raise SystemExit(3)\n' >python/test_code_of.py
	is 'code_coverage: tests in Python that fail' \
		"$(PATH=/usr/bin:/bin tool code_coverage '{"path":"python","kind":"python","command":["test_code_of.py"]}' | jq -c .tests)" \
		'"failed with exit status 3"'
	is 'code_coverage: the project in Python stays as it is' "$(find python -name '.coverage*')" ''
else
	skip 'coverage.py is not installed (python3-coverage)'
fi
is 'code_coverage: a Python without coverage.py' "$(PATH=$PWD/other:$PATH tool code_coverage '{"path":"python","kind":"python"}')" \
	'error: coverage.py is not installed for /other/python3: run /other/python3 -m pip install coverage, or install python3-coverage'
if command -v go >/dev/null; then
	mkdir go
	printf 'module example\n\ngo 1.18\n' >go/go.mod
	printf 'package a\n\nfunc F(x int) int {\n\tif x > 0 {\n\t\treturn 1\n\t}\n\treturn 2\n}\n' >go/a.go
	printf 'package a\n\nimport "testing"\n\nfunc TestF(t *testing.T) { F(1) }\n' >go/a_test.go
	is 'code_coverage: Go' "$(tool code_coverage '{"path":"go"}' | jq -c '[.kind, .percent]')" '["go",66.7]'
else
	skip 'go is not installed'
fi
if cargo --version >/dev/null 2>&1; then
	mkdir -p rust/src without
	printf '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n' >rust/Cargo.toml
	printf 'pub fn f(x: i32) -> i32 {\n    if x > 0 {\n        1\n    } else {\n        2\n    }\n}\n#[test]\nfn t() {\n    f(1);\n}\n' >rust/src/lib.rs
	llvm=$(rustc --version --verbose | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p')
	if cargo llvm-cov --version >/dev/null 2>&1 || command -v "llvm-profdata-$llvm" >/dev/null ||
		[ -n "$(find "$(rustc --print sysroot)/lib/rustlib" -name llvm-profdata)" ]; then
		is 'code_coverage: Rust' "$(tool code_coverage '{"path":"rust"}' | jq -c '[.kind, .tests, .files[0].file, (.percent | . > 50 and . < 100)]')" \
			'["rust","passed","src/lib.rs",true]'
		printf '#[test]\nfn wrong() {\n    assert_eq!(f(0), 1);\n}\n' >>rust/src/lib.rs
		is 'code_coverage: tests in Rust that fail' \
			"$(tool code_coverage '{"path":"rust"}' | jq -c '[.tests, (.percent | . > 80)]')" \
			'["failed with exit status 101",true]'
		is 'code_coverage: the project in Rust stays as it is' "$(find rust -name '*.profraw' ! -path '*/target/*')" ''
		printf 'fn broken' >rust/src/lib.rs
		is 'code_coverage: Rust that is not built' "$(tool code_coverage '{"path":"rust"}' | grep -c -e 'error: cargo test --no-run fails; the tests were not built' -e 'error: cargo llvm-cov has written no report')" 1
	else
		skip "neither cargo llvm-cov nor llvm-profdata of LLVM $llvm is installed"
	fi
	# A compiler without tools of LLVM: the error says how to get them.
	printf '#!/bin/sh\necho "LLVM version: 1.2.3"\n' >without/rustc
	printf '#!/bin/sh\nexit 1\n' >without/cargo
	chmod +x without/*
	is 'code_coverage: Rust without a tool to read counters' \
		"$(PATH=$PWD/without:/usr/bin:/bin tool code_coverage '{"path":"rust"}')" \
		'error: neither cargo-llvm-cov nor llvm-profdata of LLVM 1 is installed, one of which reads the counters of this rustc: run rustup component add llvm-tools, or install llvm-1 or cargo-llvm-cov'
else
	skip 'cargo is not installed'
fi
mkdir empty
is 'code_coverage: an unknown kind of project' "$(tool code_coverage '{"path":"empty"}')" \
	"error: the kind of the project in $PWD/empty is not known: give kind"
is 'code_coverage: a command that is not there' "$(PATH=/usr/bin:/bin tool code_coverage '{"kind":"c","command":["no-such-program"]}')" \
	'error: no-such-program cannot run (No such file or directory): is it installed?'

end_testing
