// SPDX-License-Identifier: ISC
// The tools webdriver_* and the steps of execute_browser. Each takes the browser and its parameters,
// and returns a text, an object or a picture (PNG, as a Buffer).
//
// Text of pages is data: it is shortened and passed on, never run.
"use strict";

const fs = require("fs");
const os = require("os");
const path = require("path");
const { Failed, shorten, sleep, TABS_MAX } = require("./browser.cjs");

const RESULT_MAX = 1 << 20; // bytes of the result of a script
const SCREENSHOT_MAX = 8 << 20;
const SOURCE_MAX = 1000000; // characters of a page in one answer
const TEXT_MAX = 2000; // characters of the text of an element
const LIST_MAX = 200; // elements of a snapshot
const STEPS_MAX = 50;
const WATCHES_MAX = 16;
const ACT_MS = 10000; // for an element to become usable, and what the page does then
const HIDDEN_MS = 2000; // for one that is hidden now
const POLL_MS = 100;
const SETTLE_MS = 2000;
const AGAIN_MS = [0, 2000, 10000]; // an event comes again, for a wait that began after it
const IDLE_MS = 500; // without a request: the network is idle
const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/;
const KEYS = { Space: "Space", Left: "ArrowLeft", Up: "ArrowUp", Right: "ArrowRight", Down: "ArrowDown" };
for (const name of ["Backspace", "Tab", "Enter", "Escape", "PageUp", "PageDown", "End", "Home", "Delete"]) KEYS[name] = name;
const USABLE = new Set(["button", "link", "textbox", "searchbox", "combobox", "listbox", "checkbox", "radio", "switch",
	"slider", "spinbutton", "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "treeitem"]);

// ---- run in the page ------------------------------------------------------------------

// All elements that match, also within open shadow roots; null: the selector is not valid.
function findAll({ selector, by }) {
	const all = [];
	const deep = (root, css) => {
		all.push(...root.querySelectorAll(css));
		for (const host of root.querySelectorAll("*")) if (host.shadowRoot) deep(host.shadowRoot, css);
	};
	try {
		if (by === "css") deep(document, selector);
		else if (by === "xpath") {
			const kind = XPathResult.ORDERED_NODE_SNAPSHOT_TYPE;
			const found = document.evaluate(selector, document, null, kind, null);
			for (let at = 0; at < found.snapshotLength; at++) all.push(found.snapshotItem(at));
		} else deep(document, "a[href]");
	} catch {
		return null;
	}
	const text = (e) => (e.innerText || e.textContent || "").trim();
	if (by === "link_text") return all.filter((e) => text(e) === selector);
	if (by === "partial_link_text") return all.filter((e) => text(e).includes(selector));
	return all.filter((e) => e.nodeType === Node.ELEMENT_NODE);
}

// How many there are, and some of them as objects: what a model needs to choose one. A password stays in the page.
function describeSome(list, { from, count, max }) {
	if (list === null) return null;
	const cut = (text, size) => text.length > size ? text.slice(0, size) + "…" : text;
	// Also one that the page shows as plain text, after a click on its eye.
	const isSecret = (e) => e.type === "password" || /password|one-time-code/i.test(e.getAttribute("autocomplete"));
	const describe = (e) => {
		const box = e.getBoundingClientRect(), answer = { tag: e.tagName.toLowerCase() };
		for (const name of ["id", "name", "type", "role", "href", "placeholder", "aria-label"])
			if (e.getAttribute(name)) answer[name] = cut(e.getAttribute(name), 300);
		const text = (e.innerText || e.textContent || "").trim();
		if (text) answer.text = cut(text, max);
		if (typeof e.value === "string" && e.value && !isSecret(e)) answer.value = cut(e.value, max);
		if (e.checked) answer.checked = true;
		if (e.disabled) answer.disabled = true;
		if (!box.width || !box.height || getComputedStyle(e).visibility === "hidden") answer.hidden = true;
		return answer;
	};
	return { total: list.length, elements: list.slice(from, from + count).map(describe) };
}

// The values of all inputs that are secret, which a snapshot would show.
function secretValues() {
	const all = [];
	const deep = (root) => {
		for (const e of root.querySelectorAll("input[type=password], [autocomplete]"))
			if (e.value && (e.type === "password" || /password|one-time-code/i.test(e.autocomplete))) all.push(e.value.trim());
		for (const host of root.querySelectorAll("*")) if (host.shadowRoot) deep(host.shadowRoot);
	};
	deep(document);
	return all;
}

// The text of a document and of its open shadow roots.
function readText() {
	const parts = [document.body ? document.body.innerText : ""];
	const deep = (root) => {
		for (const host of root.querySelectorAll("*")) {
			if (!host.shadowRoot) continue;
			for (const e of host.shadowRoot.children) if (e.innerText) parts.push(e.innerText);
			deep(host.shadowRoot);
		}
	};
	deep(document);
	return parts.filter(Boolean).join("\n");
}

// ---- elements -------------------------------------------------------------------------

// A list of one frame: its elements, and what it says of some of them.
async function findIn(frame, selector, by, some) {
	const list = await frame.evaluateHandle(findAll, { selector, by });
	const seen = await list.evaluate(describeSome, some);
	if (seen === null) throw new Failed(`selector is not valid ${by}: "${shorten(selector)}"`);
	return { list, ...seen };
}

// Looks in the page, then in its frames, and waits for the first.
async function find(browser, selector, by, waitSec, some) {
	const until = Date.now() + waitSec * 1000;
	const { signal } = browser;
	const settled = Date.now() + SETTLE_MS; // a page that changes just now is looked at again
	for (;;) {
		if (signal.aborted) throw new Failed("given up");
		const page = browser.page();
		let isGone = false;
		for (const frame of page.frames())
			try {
				const seen = await findIn(frame, selector, by, some);
				if (seen.total > 0) return seen;
			} catch (error) {
				if (error instanceof Failed) throw error;
				isGone ||= frame === page.mainFrame();
				if (isGone && Date.now() >= Math.max(until, settled)) throw error;
			}
		if (!isGone && Date.now() >= until) return { list: null, total: 0, elements: [] };
		await sleep(Math.max(1, Math.min(POLL_MS, until - Date.now())));
	}
}

// The element that a call means: by its selector, or by a ref of the last snapshot.
async function findOne(browser, { selector, ref, by = "css", index = 0, wait_sec = 0 }) {
	const some = { from: index, count: 1, max: TEXT_MAX };
	if (ref !== undefined) {
		const found = await browser.page().getByRef(ref).elementHandles().catch(() => []);
		if (!found.length) throw new Failed(`there is no ref "${shorten(ref)}": take a snapshot first, and one of its refs`);
		const list = await found[0].evaluateHandle((e) => [e]);
		return { handle: found[0], described: (await list.evaluate(describeSome, { ...some, from: 0 })).elements[0] };
	}
	if (selector === undefined) throw new Failed("selector or ref is missing");
	const { list, total, elements } = await find(browser, selector, by, wait_sec, some);
	if (index < total)
		return { handle: (await list.evaluateHandle((all, at) => all[at], index)).asElement(), described: elements[0] };
	if (total > 0)
		throw new Failed(`only ${total} elements match the ${by} selector "${shorten(selector)}", counted from 0: ` +
			`there is no index ${index}`);
	const waited = wait_sec ? ` within ${wait_sec} s` : "";
	throw new Failed(`no element matches the ${by} selector "${shorten(selector)}" on ${shorten(browser.page().url())}${waited}: ` +
		"look with webdriver_get_page_source or the snapshot of execute_browser, " +
		"or give wait_sec if the element comes later");
}

const actMs = (browser, { hidden }) => Math.min(browser.rest(), hidden ? HIDDEN_MS : ACT_MS);

// Does something that can open a tab or another page, and waits until it is there.
async function act(browser, work) {
	const tab = browser.tab();
	const before = new Set(browser.tabs);
	tab.navigates = false;
	await work(tab.page);
	await browser.settle();
	if (tab.navigates && !tab.page.isClosed()) await load(browser, tab.page);
	const opened = browser.tabs.filter((one) => !before.has(one));
	if (!opened.length) return {};
	for (const one of opened) one.opener = tab;
	browser.current = opened.at(-1);
	await load(browser, browser.current.page);
	return { new_tab: true };
}

async function load(browser, page) {
	await page.waitForLoadState("load", { timeout: browser.rest() }).catch((error) => {
		if (!page.isClosed()) throw error;
	});
}

// ---- files ----------------------------------------------------------------------------

function resolve(given) {
	if (/^~[^/]/.test(given))
		throw new Failed(`${given} is in the home directory of another user: write the path out, or "./~..." for a file here`);
	return path.resolve(given === "~" || given.startsWith("~/") ? os.homedir() + given.slice(1) : given);
}

function checkReplaceable(file) {
	const old = fs.statSync(file, { throwIfNoEntry: false });
	if (!old) return 0o666 & ~process.umask();
	if (old.nlink > 1) throw new Failed(`${file} has other names (hard links), which would keep the old text: give another name`);
	if (!old.isFile()) throw new Failed(`${file} is not a regular file: give the path of a file`);
	try {
		if (old.uid !== process.geteuid()) throw new Error();
		fs.accessSync(file, fs.constants.W_OK);
	} catch {
		throw new Failed(`${file} is read-only, or belongs to another user: give another name`);
	}
	return old.mode & 0o7777;
}

// Writes a file whole or not at all. A relative path begins in the directory of the pane.
function save(given, data, overwrite) {
	let file = resolve(given);
	let made = null;
	try {
		if (overwrite && fs.existsSync(file)) file = fs.realpathSync(file); // a link stays, its file is replaced
		const mode = overwrite ? checkReplaceable(file) : 0o666 & ~process.umask();
		made = fs.mkdtempSync(path.join(path.dirname(file), ".muxbus-"));
		const fresh = path.join(made, "file");
		fs.writeFileSync(fresh, data, { flag: "wx", mode: 0o600 });
		fs.chmodSync(fresh, mode);
		if (overwrite) fs.renameSync(fresh, file);
		else fs.linkSync(fresh, file);
	} catch (error) {
		if (error.code === "EEXIST") throw new Failed(`${file} exists: give another name, or overwrite=true`);
		if (error instanceof Failed) throw error;
		throw new Failed(`${file} cannot be written: ${error.code}`);
	} finally {
		if (made) fs.rmSync(made, { recursive: true, force: true });
	}
	return { path: file, bytes: data.length };
}

// ---- tools ----------------------------------------------------------------------------

function checkScheme(browser, url) {
	const scheme = SCHEME.exec(url)?.[1].toLowerCase();
	if (!scheme) throw new Failed(`url needs a scheme, as in "https://${shorten(url)}"`);
	if (browser.options.schemes.includes(scheme) || url === "about:blank") return;
	throw new Failed(`only ${browser.options.schemes.join(" and ")} are opened, not ${shorten(scheme)}: a declaration whose ` +
		`command has --allow=${shorten(scheme)} opens it too`);
}

async function goTo(browser, page, url) {
	try {
		// The error page of an earlier address can come in between.
		await page.goto(url, { timeout: 0, signal: browser.signal }).catch((error) => {
			if (!/interrupted by another navigation to "chrome-error:/.test(error.message)) throw error;
			return page.goto(url, { timeout: 0, signal: browser.signal });
		});
	} catch (error) {
		if (/Download is starting/.test(error.message)) return;
		const reason = /net::(ERR_\w+)/.exec(error.message)?.[1];
		if (reason) await page.waitForURL(/^chrome-error:/, { timeout: SETTLE_MS }).catch(() => {});
		if (reason === "ERR_ABORTED" && browser.downloads.some((file) => file.state === "running")) return;
		if (reason) throw new Failed(`${shorten(url)} cannot be loaded: ${reason}`);
		if (/invalid URL/i.test(error.message)) throw new Failed(`url is not a valid address: ${shorten(url)}`);
		throw error;
	}
}

async function start(browser, { headless, width, height, reopen }) {
	const isNew = !browser.chromium;
	const urls = reopen ? browser.lost ?? [] : [];
	if (isNew) await browser.start(headless, width, height);
	const reopened = [];
	for (const url of urls) {
		const tab = reopened.length ? await browser.open() : browser.tab();
		await goTo(browser, tab.page, url).catch(() => {});
		reopened.push(shorten(url));
	}
	return { started: isNew, browser: "chromium " + browser.chromium.version(), headless: browser.headless,
		...(reopened.length ? { reopened } : {}), ...await browser.place() };
}

async function navigate(browser, { url }) {
	checkScheme(browser, url);
	await goTo(browser, (await browser.anyTab()).page, url);
	return browser.place();
}

async function findElement(browser, which) {
	return (await findOne(browser, which)).described;
}

async function findElements(browser, { selector, by = "css", limit = 20, wait_sec = 0 }) {
	const { total, elements } = await find(browser, selector, by, wait_sec, { from: 0, count: limit, max: TEXT_MAX });
	return { total, elements };
}

async function click(browser, which) {
	const { handle, described } = await findOne(browser, which);
	const opened = await act(browser, () => handle.click({ timeout: actMs(browser, described), signal: browser.signal }));
	return { clicked: described, ...opened, ...await browser.place() };
}

// Types, as a person does, or fills in at once.
async function enter(browser, { text, clear_first = true, key, ...which }, types) {
	const { handle, described } = await findOne(browser, which);
	const timeout = actMs(browser, described);
	const { signal } = browser;
	const opened = await act(browser, async (page) => {
		if (described.tag === "input" && described.type === "file")
			return handle.setInputFiles(resolve(text), { timeout });
		if (described.tag === "select") {
			await handle.selectOption({ label: text }, { timeout: 500 })
				.catch(() => handle.selectOption(text, { timeout: 500 }));
		} else if (types || !clear_first) {
			if (clear_first) await handle.fill("", { timeout, signal });
			await handle.focus();
			if (!clear_first) await page.keyboard.press("End");
			await page.keyboard.type(text);
		} else await handle.fill(text, { timeout, signal });
		if (key) await handle.press(KEYS[key], { timeout, signal });
		return undefined;
	});
	return { typed: [...text].length, ...opened, ...await browser.place() };
}

const sendKeys = (browser, given) => enter(browser, given, true);

const fill = (browser, { value, ...given }) => enter(browser, { text: value, ...given }, false);

async function press(browser, { key, ...which }) {
	const isNamed = which.selector !== undefined || which.ref !== undefined;
	const handle = isNamed ? (await findOne(browser, which)).handle : null;
	const opened = await act(browser, (page) => handle
		? handle.press(KEYS[key], { timeout: Math.min(browser.rest(), ACT_MS) })
		: page.keyboard.press(KEYS[key]));
	return { ...opened, ...await browser.place() };
}

async function executeScript(browser, { script, args = [] }) {
	const { cdp } = browser.tab();
	const { result, exceptionDetails } = await cdp.send("Runtime.evaluate", {
		expression: `(function () {${script}\n}).apply(window, ${JSON.stringify(args)})`,
		awaitPromise: true, returnByValue: true, userGesture: true,
	});
	if (exceptionDetails) {
		const text = exceptionDetails.exception?.description ?? exceptionDetails.exception?.value ?? exceptionDetails.text;
		throw new Failed("the script failed: " + shorten(String(text).split("\n")[0].replace(/^\w*Error: /, "")));
	}
	await browser.settle();
	const value = result.value ?? result.unserializableValue ?? null;
	if (Buffer.byteLength(JSON.stringify(value)) > RESULT_MAX)
		throw new Failed(`the result of the script is larger than ${RESULT_MAX >> 20} MiB: return less`);
	return { result: value };
}

// A part of a text, and how to get the rest.
function part(text, { max_length = 10000, offset = 0 }) {
	const whole = [...text];
	const shown = whole.slice(offset, offset + Math.min(max_length || SOURCE_MAX, SOURCE_MAX));
	const end = offset + shown.length;
	if (shown.length === whole.length) return text;
	const rest = end < whole.length ? `; go on with offset=${end}` : "";
	return shown.join("") + `\n[characters ${offset} to ${end} of ${whole.length}${rest}]`;
}

async function getPageSource(browser, { save_to_file, overwrite, ...some }) {
	const source = await browser.page().content();
	if (save_to_file !== undefined) return save(save_to_file, Buffer.from(source), overwrite);
	return part(source, some);
}

async function extractText(browser, some) {
	const page = browser.page();
	const parts = [];
	for (const frame of page.frames()) {
		const text = await frame.evaluate(readText).catch(() => "");
		if (text) parts.push(frame === page.mainFrame() ? text : `[frame ${shorten(frame.url())}]\n${text}`);
	}
	return part(parts.join("\n\n"), some);
}

// The elements that can be used, of the page, its frames and its shadow roots, as assistive
// programs see them; each has a ref for later steps.
async function snapshot(browser, { tree = false }) {
	const page = browser.page();
	const [roots, place, ...hidden] = await Promise.all([
		page.ariaSnapshotJSON({ mode: "ai", timeout: browser.rest() }), browser.place(),
		...page.frames().map((frame) => frame.evaluate(secretValues).catch(() => []))]);
	const secrets = new Set(hidden.flat());
	const elements = [];
	let total = 0;
	const walk = (node, frame) => {
		if (node.text !== undefined && secrets.has(node.text)) node.text = "•••";
		if (node.ref && (USABLE.has(node.role) || node.cursor === "pointer")) {
			const { children, cursor, active, ...rest } = node;
			if (rest.text !== undefined && /box|button$/.test(rest.role) && rest.role !== "button") {
				rest.value = rest.text;
				delete rest.text;
			}
			for (const name of ["name", "text", "value", "url"]) if (rest[name]) rest[name] = shorten(rest[name], 200);
			if (++total <= LIST_MAX) elements.push({ ...rest, ...(frame ? { frame } : {}) });
		}
		for (const child of node.children ?? []) walk(child, node.role === "iframe" ? node.ref : frame);
	};
	for (const root of roots) walk(root, null);
	const answer = { ...place, total, elements };
	if (tree) answer.tree = part(JSON.stringify(roots), { max_length: 20000 });
	return answer;
}

async function screenshot(browser, { path: file, selector, by, overwrite }) {
	const timeout = browser.rest();
	const data = selector === undefined ? await browser.page().screenshot({ timeout })
		: await (await findOne(browser, { selector, by })).handle.screenshot({ timeout });
	if (data.length > SCREENSHOT_MAX)
		throw new Failed(`the picture has ${data.length} bytes, more than ${SCREENSHOT_MAX >> 20} MiB: ` +
			"give a selector, or a smaller window in webdriver_start");
	return file === undefined ? data : save(file, data, overwrite);
}

async function listTabs(browser) {
	if (!browser.chromium) browser.tab();
	const tabs = [];
	for (const tab of browser.tabs)
		tabs.push({ tab: tabs.length, url: tab.page.url(), title: await title(tab.page), ...(tab === browser.current ? { current: true } : {}) });
	return { tabs };
}

// One page that loops must not hold up the list of all.
const title = (page) => Promise.race([page.title().catch(() => ""), sleep(1000).then(() => "")]);

async function openTab(browser, { url }) {
	if (url) checkScheme(browser, url);
	if (!browser.chromium) browser.tab();
	if (browser.tabs.length >= TABS_MAX)
		throw new Failed(`${TABS_MAX} tabs are open, the most there may be: close one first`);
	const tab = await browser.open();
	if (url) await goTo(browser, tab.page, url);
	return { tab: browser.tabs.indexOf(tab), ...await browser.place() };
}

function tabAt(browser, number) {
	if (!browser.chromium) browser.tab();
	if (number < browser.tabs.length) return browser.tabs[number];
	throw new Failed(`there is no tab ${number}: ${browser.tabs.length} are open, counted from 0; list_tabs shows them`);
}

async function switchTab(browser, { tab }) {
	browser.current = tabAt(browser, tab);
	return browser.place();
}

// Closes a tab, by default the current one, and goes back to the one that opened it.
async function closeTab(browser, { tab }) {
	const was = browser.current;
	const closed = tab === undefined ? was : tabAt(browser, tab);
	if (!browser.chromium || browser.tabs.length === 1) {
		if (!browser.chromium) browser.tab();
		throw new Failed("this is the last tab: webdriver_quit ends the browser");
	}
	const next = closed === was ? closed?.opener : was;
	if (closed) {
		browser.drop(closed);
		await closed.page.close();
	}
	browser.current = browser.tabs.includes(next) ? next : browser.tabs.at(-1);
	return { closed: true, tab: browser.tabs.indexOf(browser.current), ...await browser.place() };
}

const through = (name) => async (browser) => {
	await browser.page()[name]({ timeout: 0, signal: browser.signal });
	return browser.place();
};

async function quit(browser) {
	const was = Boolean(browser.chromium);
	await browser.end();
	return { ended: was };
}

function recent(browser, ring, { limit = 50 }) {
	if (!browser.chromium) browser.tab();
	return { total: ring.length, lines: ring.slice(-limit) };
}

// ---- downloads and events -------------------------------------------------------------

function listDownloads(browser) {
	if (!browser.chromium) browser.tab();
	return { downloads: browser.downloads.map((file, download) => ({ download, ...browser.describeDownload(file) })) };
}

function saveDownload(browser, { download, path: file, overwrite }) {
	if (!browser.chromium) browser.tab();
	const found = browser.downloads[download];
	if (!found) throw new Failed(`there is no download ${download}: list_downloads shows them`);
	if (found.state !== "done") throw new Failed(`the download ${shorten(found.name)} is not done: ${found.state}`);
	return save(file, fs.readFileSync(found.path), overwrite);
}

// Has the browser publish an event when something comes true in the current tab.
async function watch(browser, { text, url, network_idle = false }) {
	const tab = browser.tab();
	const wanted = [text !== undefined, url !== undefined, network_idle].filter(Boolean).length;
	if (wanted !== 1) throw new Failed("give one of text, url and network_idle");
	if (browser.watches.size >= WATCHES_MAX)
		throw new Failed(`${WATCHES_MAX} watches wait already, the most there may be: unwatch ends them`);
	const id = "w" + ++browser.watchNumber;
	const kind = text !== undefined ? "page_text" : url !== undefined ? "page_url" : "network_idle";
	const one = { told: 0, end() { browser.watches.delete(id); } };
	const publish = (at = 0) => {
		if (browser.watches.get(id) !== one || one.told > at) return;
		one.told = at + 1;
		browser.options.publish(kind, { watch: id, tab: browser.tabs.indexOf(tab), url: shorten(tab.page.url()),
			...(text !== undefined ? { text: shorten(text) } : {}) });
		if (one.told === AGAIN_MS.length) one.end();
		else setTimeout(publish, AGAIN_MS[one.told], one.told).unref();
	};
	browser.watches.set(id, one);
	const ends = (name, listener) => {
		const end = one.end;
		tab[name] = listener;
		one.end = () => { end(); if (tab[name] === listener) delete tab[name]; };
	};
	if (kind === "page_text") {
		const look = (wantedText) => Boolean(document.body) && document.body.innerText.includes(wantedText);
		tab.page.waitForFunction(look, text, { timeout: 0, polling: POLL_MS }).then(() => publish(), () => one.end());
	} else if (kind === "page_url") {
		const look = () => { if (tab.page.url().includes(url)) publish(); };
		ends("changed", look);
		setImmediate(look);
	} else {
		let timer = null;
		const look = () => {
			clearTimeout(timer);
			if (tab.open === 0) timer = setTimeout(() => publish(), IDLE_MS);
		};
		ends("busy", look);
		setImmediate(look);
	}
	return { watch: id, event: kind, ...await browser.place() };
}

function unwatch(browser, { watch: id }) {
	const ended = [...browser.watches.keys()].filter((key) => id === undefined || key === id);
	for (const key of ended) browser.watches.get(key).end();
	return { ended };
}

const TOOLS = {
	webdriver_start: start,
	webdriver_navigate: navigate,
	webdriver_get_url: (browser) => browser.page().url(),
	webdriver_get_title: (browser) => browser.page().title(),
	webdriver_find_element: findElement,
	webdriver_find_elements: findElements,
	webdriver_click: click,
	webdriver_send_keys: sendKeys,
	webdriver_execute_script: executeScript,
	webdriver_get_page_source: getPageSource,
	webdriver_screenshot: screenshot,
	webdriver_back: through("goBack"),
	webdriver_forward: through("goForward"),
	webdriver_refresh: through("reload"),
	webdriver_quit: quit,
};

const run = (browser, name, given) => TOOLS[name](browser, given);

// ---- execute_browser ------------------------------------------------------------------

const TEXT = { type: "string" };
const NUMBER = { type: "integer", minimum: 0 };
const BOOLEAN = { type: "boolean" };
const SOME = { max_length: NUMBER, offset: NUMBER };
const LIMIT = { type: "integer", minimum: 1, maximum: 200 };
// Steps that are no tools; all other steps are the tools without "webdriver_".
const STEPS = {
	snapshot: [snapshot, { tree: BOOLEAN }, []],
	extract_text: [extractText, SOME, []],
	press: [press, { key: { type: "string", enum: Object.keys(KEYS).sort() } }, ["key"]],
	fill: [fill, { value: TEXT }, ["value"]],
	list_tabs: [listTabs, {}, []],
	open_tab: [openTab, { url: TEXT }, []],
	switch_tab: [switchTab, { tab: NUMBER }, ["tab"]],
	close_tab: [closeTab, { tab: NUMBER }, []],
	console: [(browser, given) => recent(browser, browser.console, given), { limit: LIMIT }, []],
	network: [(browser, given) => recent(browser, browser.network, given), { limit: LIMIT }, []],
	list_downloads: [listDownloads, {}, []],
	save_download: [saveDownload, { download: NUMBER, path: TEXT, overwrite: BOOLEAN }, ["download", "path"]],
	watch: [watch, { text: TEXT, url: TEXT, network_idle: BOOLEAN }, []],
	unwatch: [unwatch, { watch: TEXT }, []],
};
const ELEMENT_STEPS = ["click", "fill", "find_element", "press", "send_keys"]; // take a ref instead of a selector

// Each action of a step: its function and the schema of its parameters.
function stepRows(tools) {
	const rows = new Map();
	for (const [name, work] of Object.entries(TOOLS)) {
		const { properties = {}, required = [] } = tools[name]?.inputSchema ?? {};
		rows.set(name.replace("webdriver_", ""), [work, properties, required]);
	}
	for (const [name, row] of Object.entries(STEPS)) rows.set(name, row);
	const which = tools.webdriver_click?.inputSchema.properties ?? {};
	for (const name of ELEMENT_STEPS) {
		const [work, properties, required] = rows.get(name);
		rows.set(name, [work, { ...properties, ...which, ref: TEXT }, required.filter((one) => one !== "selector")]);
	}
	rows.delete("start");
	rows.delete("quit");
	return rows;
}

// execute_browser: several steps in one call.
class Steps {
	constructor(tools) {
		this.rows = stepRows(tools);
	}

	check(step, number) {
		const { action, ...given } = step ?? {};
		if (!this.rows.has(action))
			throw new Failed(`step ${number} has no known action: "${shorten(String(action))}" is none of ` +
				[...this.rows.keys()].sort().join(", "));
		const [work, properties, required] = this.rows.get(action);
		return { action, work, given: check(given, { properties, required }, `step ${number} (${action})`) };
	}

	collect({ action, url, params, steps = [], script, screenshot: isShown = false }) {
		const all = [...steps];
		if (action !== undefined) all.unshift({ action, ...(url ? { url } : {}), ...params }); // who gives no url writes ""
		else if (url || Object.keys(params ?? {}).length)
			throw new Failed("url and params belong to an action: give action, or put them into steps");
		if (script !== undefined) all.push({ action: "execute_script", script });
		if (!all.length && !isShown) throw new Failed("nothing to do: give action, steps, script or screenshot");
		if (all.length > STEPS_MAX)
			throw new Failed(`${all.length} steps are more than ${STEPS_MAX}: divide them over several calls`);
		return all.map((step, at) => this.check(step, at + 1)); // all, before the first is done
	}

	async run(browser, progress, given) {
		const steps = this.collect(given);
		const isLook = steps.every(({ action }) => action === "console" || action === "network");
		const isNew = !browser.chromium;
		if (isNew && !isLook && (!browser.lost || browser.isLossTold || given.reopen)) await start(browser, { reopen: given.reopen });
		const done = [];
		for (const [at, { action, work, given: own }] of steps.entries()) {
			progress(at, steps.length, action);
			let result;
			try {
				result = await work(browser, own);
			} catch (error) {
				const before = at > 0 ? ` Steps 1 to ${at} are done.` : "";
				throw new Failed(`step ${at + 1} of ${steps.length} (${action}): ${sentence(error)}.${before}`);
			}
			if (Buffer.isBuffer(result))
				throw new Failed(`step ${at + 1} (screenshot) needs a path; screenshot=true beside steps shows the end`);
			done.push({ action, result });
		}
		const { url, title } = done.at(-1)?.result ?? {};
		const place = url !== undefined && title !== undefined ? { url, title } : await browser.place();
		const answer = { started: isNew, steps: done, ...place };
		return given.screenshot ? [answer, await screenshot(browser, {})] : answer;
	}
}

// ---- errors and arguments -------------------------------------------------------------

// An error of a call as a sentence for the model.
function sentence(error) {
	if (error instanceof Failed) return error.message;
	const text = String(error.message ?? error);
	const told = [
		[/intercepts pointer events/, "another element covers this one"],
		[/not attached|detached|Cannot find context|was destroyed/, "the page has changed and the element is gone: find it again"],
		[/is not an <input>|not an? <select>|is not editable|readonly|not editable/,
			"the element cannot be edited: it is no input, or disabled or read-only"],
		[/not visible|not enabled|outside of the viewport|not stable|disabled/,
			"the element cannot be used: it is hidden, has no size or is disabled"],
		[/Execution context|Target (page|closed)|has been closed/, "the page has gone in the middle: look where the browser is now"],
	];
	for (const [pattern, words] of told) if (pattern.test(text)) return words;
	return shorten(text.split("\n")[0].replace(/^[A-Za-z.]+: /, ""));
}

const KINDS = {
	string: (value) => typeof value === "string",
	integer: Number.isInteger,
	number: (value) => typeof value === "number",
	boolean: (value) => typeof value === "boolean",
	array: Array.isArray,
	object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
};

// The arguments, or a failure that says what is wrong.
function check(given, { properties = {}, required = [] }, where) {
	const refuse = (text) => { throw new Failed(`${where}: ${text}`); };
	if (!KINDS.object(given)) refuse("arguments must be an object");
	for (const [name, value] of Object.entries(given)) {
		const rule = Object.hasOwn(properties, name) ? properties[name] : null;
		if (!rule)
			throw new Failed(`${where} has no parameter "${shorten(name)}": there are ${Object.keys(properties).join(", ") || "none"}`);
		if (!KINDS[rule.type](value)) refuse(`${name} must be of type ${rule.type}`);
		if (rule.enum && !rule.enum.includes(value)) refuse(`${name} must be one of ${rule.enum.join(", ")}`);
		if (value < rule.minimum) refuse(`${name} must be at least ${rule.minimum}`);
		if (value > rule.maximum) refuse(`${name} must be at most ${rule.maximum}`);
		if (rule.items && !value.every(KINDS[rule.items.type])) refuse(`each of ${name} must be of type ${rule.items.type}`);
	}
	for (const name of required) if (!Object.hasOwn(given, name)) refuse(`${name} is missing`);
	return given;
}

module.exports = { Steps, check, run, sentence };
