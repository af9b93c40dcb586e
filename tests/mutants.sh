#!/bin/sh
# SPDX-License-Identifier: ISC
# Deliberate bugs that the tests must notice: each is put into a copy of the source. One named
# test is then built and run there, and must fail.
#
#	tests/mutants.sh TREE		TREE: a copy of the release's files, as `make distdir` makes
#	tests/mutants.sh --look TREE	only prints the bugs whose place in TREE is not found
#
# `make mutants` does it all; it takes some minutes. MUTANTS=PATTERN runs those whose name
# matches the shell pattern.

set -u
look=
[ "${1:-}" != --look ] || { look=$(mktemp) && shift || exit 1; }
tree=${1:?usage: $0 TREE}
tree=$(cd "$tree" && pwd -P) || exit 1
wanted=${MUTANTS:-*}
count=0
failed=0

say() { # say RESULT NAME
	count=$((count + 1))
	echo "$1 $count - $2"
	[ "$1" = ok ] || failed=$((failed + 1))
}

# Builds and runs one test in the copy. 0: it passes, 1: it fails, 2: it cannot be built.
run_test() {
	make -s -C "$tree/_mutants" muxbus-job "$1" >"$tree/_mutants/build.log" 2>&1 || return 2
	(
		cd "$tree/_mutants" &&
			MUXBUS_BUILDDIR=$tree/_mutants MUXBUS_SRCDIR=$tree timeout 300 "./$1"
	) >"$tree/_mutants/run.log" 2>&1 || return 1
}

# spoil FILE OLD NEW...: puts each NEW in place of its OLD, which must stand in FILE exactly once.
spoil() {
	spoilt=$1
	shift
	while [ $# -ge 2 ]; do
		OLD=$1 NEW=$2 perl -0777 -i -pe '
			my $places = () = /\Q$ENV{OLD}\E/g;
			die "stands there $places times\n" if $places != 1;
			s/\Q$ENV{OLD}\E/$ENV{NEW}/' "$spoilt" || return
		shift 2
	done
}

# look_for TEST FILE NAME OLD NEW...: prints the name unless the bug can be put into a copy.
look_for() {
	cp "$tree/$2" "$look" || exit 1
	look_name="$2: $3"
	shift 3
	spoil "$look" "$@" 2>/dev/null || echo "$look_name"
}

# mutant TEST FILE NAME OLD NEW...: more than one pair where one guard stands behind another.
mutant() {
	case $3 in $wanted) ;; *) return ;; esac
	if [ -n "$look" ]; then
		look_for "$@"
		return
	fi
	cp -p "$tree/$2" "$tree/_mutants/original" || exit 1
	mutant_test=$1 mutant_file=$2 mutant_name=$3
	shift 3
	if ! spoil "$tree/$mutant_file" "$@"; then
		say 'not ok' "$mutant_name: $mutant_file has changed: the bug has to be written again"
	else
		touch "$tree/$mutant_file"
		run_test "$mutant_test"
		case $? in
		0) say 'not ok' "$mutant_name: not noticed by $mutant_test" ;;
		1) say ok "$mutant_name: noticed by $mutant_test" ;;
		*)
			say 'not ok' "$mutant_name: $mutant_file cannot be compiled with it"
			sed 's/^/# /' "$tree/_mutants/build.log"
			;;
		esac
	fi
	cp -p "$tree/_mutants/original" "$tree/$mutant_file"
	touch "$tree/$mutant_file"
}

[ -n "$look" ] || mkdir -p "$tree/_mutants"
if [ -z "$look" ] && ! (cd "$tree/_mutants" && ../configure -q CFLAGS='-g -O1' && make -s -j2) >"$tree/_mutants/setup.log" 2>&1; then
	tail -n 20 "$tree/_mutants/setup.log" | sed 's/^/# /'
	echo 'Bail out! the copy cannot be built'
	exit 1
fi
[ -n "$look" ] || for test in tests/test_journal tests/test_journal_kill tests/test_store tests/test_queue \
	tests/test_record tests/test_timer tests/test_sequence tests/test_watch tests/test_job \
	tests/test_state_dir tests/test_repeat tests/test_draft tests/test_line tests/test_fleet_name \
	tests/test_declaration; do
	run_test $test
	result=$?
	[ $result -eq 0 ] && result=ok || result='not ok'
	say "$result" "$test passes as it is"
done

# The journal.

mutant tests/test_journal src/daemon/queue/journal.c 'a torn tail is left in the file' \
	'if (len > scan->good_len &&
	    journal->disk->truncate(journal->disk_data, handle, scan->good_len) < 0)' 'if (false)'
mutant tests/test_journal src/daemon/queue/journal.c 'a failed sync is trusted again' \
	'if (result->error != 0) {' 'if (false) {'
mutant tests/test_journal src/daemon/queue/journal.c 'an unsynced record is marked durable' \
	'.durable = file->durable,' '.durable = file->number,'
mutant tests/test_journal_kill src/daemon/queue/journal.c 'a record written during a rewrite is missing in the new file' \
	'error = append_next(journal, type, payload, len);
	if' 'error = 0;
	if'
mutant tests/test_journal src/daemon/queue/journal_disk.c 'an unsynced new file replaces the old one' \
	'if (ret_result->error == 0 && job->install_from != NULL)' 'if (job->install_from != NULL)'
mutant tests/test_journal src/daemon/queue/journal_record.c 'the checksum of a record is not checked' \
	'if (get32(bytes + RECORD_CRC) != crc32c(0, bytes + RECORD_LENGTH, size - RECORD_LENGTH))' 'if (false)'
mutant tests/test_journal src/daemon/queue/journal_record.c 'the header of a file is not checked' \
	'if (get32(bytes + HEADER_CRC) != crc32c(0, bytes, HEADER_CRC))' 'if (false)'

# The store and the sequence.

mutant tests/test_store src/daemon/queue/store.c 'a transaction is written in parts' \
	'if (--store->depth > 0 || store->transaction.len == 0)' \
	'if (--store->depth > 1 || store->transaction.len == 0)'
mutant tests/test_store src/daemon/queue/store.c 'a deleted record comes back' \
	'op_write(&store->transaction, OP_DELETE, key, "", 0);' ''
mutant tests/test_sequence src/daemon/event/event_log.c 'numbers are given before the disk has them' \
	'write_file(sequence->dir, ceiling) < 0' 'write_file(sequence->dir, sequence->last) < 0'
mutant tests/test_sequence src/daemon/event/event_log.c 'the thread does not write the next block' \
	'write_file(sequence->dir, sequence->raised) < 0' \
	'write_file(sequence->dir, sequence->ceiling) < 0'
mutant tests/test_sequence src/daemon/event/event_log.c 'a damaged file is trusted' \
	'if (len != (size_t)expected_len || memcmp(text, expected, len) != 0)' 'if (expected_len < 0)'

# The queue and its consumers.

mutant tests/test_queue src/daemon/queue/queue.c 'a restart forgets a delivery under way' \
	'		note->state = NOTE_QUEUED;
		note->was_handed =' '		note->was_handed ='
mutant tests/test_queue src/daemon/queue/queue.c 'what somebody has in hand is added to' \
	'note->is_told || ' ''
mutant tests/test_queue src/daemon/queue/queue.c 'hand-outs of an earlier daemon are forgotten' \
	'note->is_told = true; /* an earlier daemon may have handed it out */' '' \
	'queue_insert(queue, note);
	return true;' 'queue_insert(queue, note);
	if (note->key != NULL)
		note_index_offer(&queue->index, note);
	return true;' \
	'event == NULL || event->seq != note->seq ||
	    event->is_sent' '(event != NULL && event->seq == note->seq && event->is_sent)'
mutant tests/test_queue src/daemon/queue/queue.c 'undelivered notifications are forgotten first' \
	'if (is_undelivered(note))
			continue;' ''
mutant tests/test_queue src/daemon/queue/consumer.c 'what is not acknowledged is passed over' \
	'if (handed == NULL || handed->due_ms != 0)' 'if (handed == NULL)'
mutant tests/test_queue src/daemon/queue/consumer.c 'acknowledgements are not kept' \
	'if (marked > 0)
		consumer_store(consumer);' ''
mutant tests/test_queue src/daemon/queue/consumer.c 'acknowledgements above the floor are not kept' \
	'if (place.acked[at] > consumer->floor)' 'if (false)'
mutant tests/test_queue src/daemon/queue/consumer.c 'what is not acknowledged never comes again' \
	'return handed->due_ms <= now_ms;' 'return false;'

# ---- records

mutant tests/test_record src/daemon/queue/record_field.c 'a member of a record that is missing is read as zero' \
	': !field->is_optional)' ': false)'
mutant tests/test_record src/daemon/queue/record_field.c 'a number that is out of range is read' \
	'number >= field->values)' 'false)'
mutant tests/test_record src/daemon/queue/queue.c 'a record that cannot be read stays in the store' \
	'store_delete(queue->store, key);' ''
mutant tests/test_record src/daemon/queue/record_field.c 'words behind those of release 0.1 are passed over' \
	'return text == end;' 'return true;'

# ---- timers

mutant tests/test_timer src/daemon/core/boot_clock.c 'the clock of an earlier start of the machine is believed' \
	' || strcmp(boot_id, clock->boot_id) != 0)' ')'
mutant tests/test_timer src/daemon/timer/timer.c 'a recurring timer drifts' \
	'timer->boot_due_ms += (missed + 1) * timer->period_ms;' \
	'timer->boot_due_ms = now_boot_ms(set) + timer->period_ms;'
mutant tests/test_timer src/daemon/timer/timer.c 'a timer that has fired fires again after a restart' \
	'record_delete(queue_store(set->queue), &timer_kind, timer->id);' ''
mutant tests/test_timer src/daemon/timer/timer.c 'the longer sleep wins' \
	'old->boot_due_ms <= due_ms' 'old->boot_due_ms > due_ms'

# Jobs and watches.

mutant tests/test_job src/supervisor/main.c 'a job is started twice' \
	'O_WRONLY | O_CREAT | O_EXCL' 'O_WRONLY | O_CREAT' \
	'if (was_started(job))
		return EXIT_STARTED;' '(void)was_started;'
mutant tests/test_job src/supervisor/main.c 'the exit status is lost' \
	'WIFEXITED(how) ? WEXITSTATUS(how) : -1' 'WIFEXITED(how) ? 0 : -1'
mutant tests/test_job src/daemon/job/job.c 'an accepted job is not started after a kill' \
	'(error = start_supervisor(tracked)) == 0)
		return;' 'false)
		return;'
mutant tests/test_job src/daemon/job/job.c 'a killed supervisor is taken for a success' \
	'job->state = JOB_LOST;' 'job->state = JOB_EXITED;'
mutant tests/test_watch src/daemon/watch/watch.c 'a watch reads reported lines again' \
	'		watch_store(watch);
	seq = queue_post' '		;
	seq = queue_post'
mutant tests/test_watch src/daemon/watch/watch.c 'a watch that is over goes on after a restart' \
	'record_delete(queue_store(queue), &watch_kind, watch->id);' ';'

# ---- the lock

mutant tests/test_state_dir src/daemon/core/start.c 'the directory of a killed daemon is not waited for' \
	'(process_await_release(ret_holder->pid, &tries) || await_end' '(tries > 0 || await_end'
mutant tests/test_state_dir src/daemon/core/start.c 'the tmux server of a killed daemon is not waited for' \
	'process_await_release(ret_holder->pid, &tries));
	return result;' 'tries > 0);
	return result;'

# ---- requests

mutant tests/test_repeat src/daemon/server/repeat.c 'another request with a used key gets the answer of the first' \
	'first->content != once->content' 'false'
mutant tests/test_repeat src/daemon/server/repeat.c 'a request with a key is done again' \
	'if (!repeat_find(request, "", own.key, &first))' \
	'if (!repeat_find(request, "", own.key, &first) || true)'
mutant tests/test_line src/wire/line.c 'an id that may be another one is taken from an invalid line' \
	'lost->count == 1 && lost->len > 0' 'lost->len > 0'
mutant tests/test_line src/wire/line.c 'the id of an inner object is taken from an invalid line' \
	'lost->place = NESTED;
		pass_nested(lost, byte);' 'lost->place = BEFORE_NAME;'

# ---- drafts

mutant tests/test_draft src/daemon/pane/draft.c 'a text that a person went on with is not their draft' \
	'	return found == line->count;' '	return true;'
mutant tests/test_draft src/daemon/pane/draft.c 'a text that a person typed again is not their draft' \
	'facts->is_untouched && at < end' 'at < end'
mutant tests/test_draft src/daemon/pane/draft.c 'the first row of a command that goes on is not their draft' \
	'has_first_row(facts, &line, ret_draft)' 'false && has_first_row(facts, &line, ret_draft)'

# ---- the fleet and declared tools

mutant tests/test_fleet_name src/daemon/fleet/fleet_name.c 'a host speaks for another one' \
	'!has(own, member->name) && ' ''
mutant tests/test_declaration src/daemon/tool/declaration_schema.c 'the history has the texts of declared tools' \
	'property->is_plain ? 0 : FIELD_CONFIDENTIAL' '0'

if [ -n "$look" ]; then
	rm -f "$look"
	exit 0
fi
echo "1..$count"
[ $failed -eq 0 ]
