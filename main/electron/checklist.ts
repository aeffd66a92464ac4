/**
 * Which rule of the security checklist (reliability.md 2.4) is held by which automatic check? `checklist.test.ts` looks whether each check
 * named here is still there; the checks themselves are what fails when a rule is broken.
 */

/** `check`: the name of a test, or a line of the file, as it stands there. */
export type Row = { readonly row: number; readonly rule: string; readonly checks: readonly { readonly file: string; readonly check: string }[] };

const HERE = 'main/electron/security.test.ts';
const SOURCES = 'main/electron/checklist.test.ts';
const DESKTOP = 'main/electron/desktop.test.ts';
const PACKAGING = 'main/electron/packaging.test.ts';
const SERVED = 'main/served/server-matrix.test.ts';
const BUNDLE = 'test/end-to-end/window.test.ts';

export const CHECKLIST: readonly Row[] = [
  { row: 1, rule: 'Every window is made by one factory with every protection on', checks: [{ file: HERE, check: 'is made with every protection on' }, { file: SOURCES, check: 'make a window in one place only' }] },
  { row: 2, rule: 'The sandbox is on before the program is ready', checks: [{ file: DESKTOP, check: 'locks everything before it is ready, and opens one window of one page' }] },
  { row: 3, rule: 'app:// is answered from a table: GET and HEAD, one host, no way out', checks: [{ file: HERE, check: 'leads nowhere else, however a path is spelt' }, { file: HERE, check: 'answers no other host, scheme or method' }] },
  { row: 4, rule: 'Nothing loads a file: address', checks: [{ file: SOURCES, check: 'load no file: address' }] },
  { row: 5, rule: 'The content security policy is strict, and the built window keeps it', checks: [{ file: HERE, check: 'answers its own pages with every protection' }, { file: SOURCES, check: 'policy says exactly what the checklist says' }, { file: BUNDLE, check: 'holds nothing that its policy forbids' }, { file: BUNDLE, check: 'broke no rule of the security policy' }] },
  { row: 6, rule: 'No page leads anywhere, nothing is embedded, no window opens another', checks: [{ file: HERE, check: 'is prevented in every way, and no window opens another' }] },
  { row: 7, rule: 'Every permission and device is refused', checks: [{ file: HERE, check: 'are refused, every one that Electron knows' }] },
  { row: 8, rule: 'One channel, from our own frame alone, with schemas both ways', checks: [{ file: HERE, check: 'of frame %j is taken: %s' }, { file: SOURCES, check: 'speak with the window over one channel' }, { file: SOURCES, check: 'refuse whatever the schema does not know' }] },
  { row: 9, rule: 'The preload script hands over one function', checks: [{ file: SOURCES, check: 'hands over one function and nothing of Electron' }] },
  { row: 10, rule: 'Nothing is opened outside', checks: [{ file: SOURCES, check: 'open nothing outside' }] },
  { row: 11, rule: 'No network', checks: [{ file: HERE, check: 'is closed to %s' }, { file: SOURCES, check: 'searches and indexes where there is no network' }, { file: BUNDLE, check: 'asked nobody but this computer' }] },
  { row: 12, rule: 'Every fuse is decided', checks: [{ file: PACKAGING, check: 'are all decided, as the security checklist has them' }, { file: PACKAGING, check: 'are burnt into a program and read back' }] },
  { row: 13, rule: 'The archive holds a hash of every file; native libraries lie beside it', checks: [{ file: PACKAGING, check: 'leaves native libraries beside it and holds a hash of every file' }, { file: PACKAGING, check: 'unpacks exactly the native libraries that the dependencies of the application bring' }] },
  { row: 14, rule: 'Switches that open the program to others are refused', checks: [{ file: HERE, check: 'that open the program to others are refused, and paths are not' }, { file: DESKTOP, check: 'with a switch that opens it to others ends at once with a sentence' }] },
  { row: 15, rule: 'Installing runs only the scripts that are named; every package has its hash', checks: [{ file: SOURCES, check: 'run a script at their installation only where it is allowed by name' }, { file: SOURCES, check: 'have a hash in the lock' }] },
  { row: 16, rule: 'Electron is current', checks: [{ file: SOURCES, check: 'is one of the supported ones' }] },
  { row: 17, rule: 'A person’s files come by dialogs and drops', checks: [{ file: 'main/api/chosen-paths.test.ts', check: 'that nobody chose is refused' }, { file: 'main/api/chosen-paths.test.ts', check: 'every path that a call takes is checked or named as inner' }] },
  { row: 18, rule: 'Workers: no shell, no inherited secrets, limited memory, limited restarts', checks: [{ file: HERE, check: 'is a utility process without our secrets, and ends when asked' }, { file: SOURCES, check: 'are started without a shell and with a scrubbed environment' }, { file: 'main/workers/client.test.ts', check: 'keeps-dying' }] },
  { row: 19, rule: 'Logs and diagnostics say nothing private', checks: [{ file: 'main/log/log.test.ts', check: 'says nothing private: %s' }, { file: DESKTOP, check: 'keeps the log, and puts together what helps somebody to help, without names or paths' }] },
  { row: 20, rule: 'The loopback form keeps the rules of 2.2', checks: [{ file: SERVED, check: 'answers every combination as the rules say' }, { file: 'main/served/gate.test.ts', check: 'lets nothing pass that names another host, whatever else it says' }, { file: 'main/served/server.test.ts', check: 'are refused to a host named twice, and to one named wrongly' }] },
  { row: 21, rule: 'What documents hold is shown as text', checks: [{ file: BUNDLE, check: 'shows what a hostile document holds as text' }] },
  { row: 22, rule: 'A static scan', checks: [{ file: SOURCES, check: 'hold nothing that a scanner of Electron programs looks for' }, { file: 'eslint.config.ts', check: "'no-restricted-syntax'" }] },
];
