/* SPDX-License-Identifier: ISC */
/*
 * RE2::Set, for bench_pattern: "re2_set PATTERNS TEXT" reads a pattern a line, and for each byte on
 * standard input searches the lines of the text, and prints the nanoseconds and the pairs found.
 */
#include <re2/set.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

int main(int argc, char **argv)
{
	RE2::Options options;
	options.set_max_mem(256 << 20);
	options.set_log_errors(false);
	RE2::Set set(options, RE2::UNANCHORED);
	if (argc != 3)
		return 2;
	std::ifstream patterns(argv[1]), file(argv[2]);
	for (std::string line; std::getline(patterns, line);)
		if (set.Add(line, nullptr) < 0)
			return 1;
	std::stringstream all;
	all << file.rdbuf();
	const std::string text = all.str();
	if (!set.Compile())
		return 1;
	for (char byte; read(STDIN_FILENO, &byte, 1) == 1;) {
		auto start = std::chrono::steady_clock::now();
		size_t found = 0;
		std::vector<int> which;
		for (const char *at = text.data(), *end = at + text.size(); at < end;) {
			const char *stop = static_cast<const char *>(
			    memchr(at, '\n', static_cast<size_t>(end - at)));
			if (set.Match(re2::StringPiece(at, static_cast<size_t>(stop - at)), &which))
				found += which.size();
			at = stop + 1;
		}
		auto took = std::chrono::steady_clock::now() - start;
		std::printf("%lld %zu\n",
		    static_cast<long long>(
			std::chrono::duration_cast<std::chrono::nanoseconds>(took).count()),
		    found);
		std::fflush(stdout);
	}
	return 0;
}
