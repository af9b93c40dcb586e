// SPDX-License-Identifier: ISC
// playwright-core: where it is, and how it is fetched. It drives the chromium of the system, and
// brings no browser of its own.
"use strict";

const { createHash } = require("crypto");
const { spawnSync } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");

const VERSION = "1.65.1";
const SHA512 = "hqPpz7blSMPxWVdoeE1yiBSzXsKiVOd2k+kjCvmUywD2GPO2Dd9HfcWnq9NN0GHbNZDFgZ9JfBFr+X5/BLo0qw==";

function dataFolder() {
	const given = process.env.XDG_DATA_HOME;
	const base = given?.startsWith("/") ? given : path.join(os.homedir(), ".local", "share");
	return path.join(base, "muxbus");
}

const folder = () => path.join(dataFolder(), "playwright-core-" + VERSION);

// The command that fetches it.
const command = () => path.join(__dirname, "browser_server") + " --install";

// The declarations name this file, for muxbusd.
const FILE = "cli.js";

const isThere = () => fs.existsSync(path.join(folder(), FILE));

// The library, or null.
const load = () => isThere() ? require(folder()) : null;

function step(program, args, cwd) {
	const done = spawnSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
	if (done.error) throw new Error(`${program} cannot be run: ${done.error.code}`);
	if (done.status !== 0) throw new Error(`${program} failed (status ${done.status})`);
	return done.stdout.trim();
}

// Fetches the one version that is known, and says how it went. No script of the package is run.
function run() {
	const place = folder();
	if (isThere()) {
		process.stdout.write(`playwright-core ${VERSION} is installed in ${place}\n`);
		return true;
	}
	fs.mkdirSync(dataFolder(), { recursive: true, mode: 0o700 });
	const work = fs.mkdtempSync(path.join(dataFolder(), "new-"));
	try {
		const file = step("npm", ["pack", "--silent", "--ignore-scripts", "playwright-core@" + VERSION], work)
			.split("\n").pop();
		const found = createHash("sha512").update(fs.readFileSync(path.join(work, file))).digest("base64");
		if (found !== SHA512) throw new Error(`the package that came is not playwright-core ${VERSION}: its sum is ${found}`);
		step("tar", ["-xzf", file], work);
		fs.chmodSync(path.join(work, "package", FILE), 0o755);
		fs.renameSync(path.join(work, "package"), place);
		process.stdout.write(`playwright-core ${VERSION} is now in ${place}; muxbus list_tools has muxbusd see it\n`);
		return true;
	} catch (error) {
		process.stderr.write(`playwright-core ${VERSION} is not installed: ${error.message}\n`);
		return false;
	} finally {
		fs.rmSync(work, { recursive: true, force: true });
	}
}

module.exports = { VERSION, command, isThere, load, run };
