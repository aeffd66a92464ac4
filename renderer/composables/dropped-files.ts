/** Which files were let go over the window? Those of folders too, whatever lies below, hidden ones left out. */

/** More is no drop of texts but a whole disk. */
const MOST_FILES = 500;

/** Must be called while the drop is being told of: what was dropped cannot be asked for later. */
export function droppedFiles(transfer: Pick<DataTransfer, 'files'> & Partial<Pick<DataTransfer, 'items'>>): Promise<readonly File[]> {
  const files = [...transfer.files];
  const entries = [...(transfer.items ?? [])].flatMap((item) => item.webkitGetAsEntry?.() ?? []);
  return entries.some(({ isDirectory }) => isDirectory) ? filesOf(entries) : Promise.resolve(files);
}

async function filesOf(entries: readonly FileSystemEntry[]): Promise<readonly File[]> {
  const found: File[] = [];
  const waiting = [...entries];
  for (let entry = waiting.shift(); entry !== undefined && found.length < MOST_FILES; entry = waiting.shift()) {
    if (entry.name.startsWith('.')) continue;
    if (isFolder(entry)) waiting.push(...(await entriesIn(entry)));
    else if (isFile(entry)) found.push(await fileOf(entry));
  }
  return found;
}

const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;
const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const fileOf = (entry: FileSystemFileEntry): Promise<File> => new Promise((resolve, reject) => entry.file(resolve, reject));

/** A folder hands its entries over in portions, an empty one at the end. By name, so that the cards stand as in the folder. */
async function entriesIn(folder: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const portion = await new Promise<readonly FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (portion.length === 0) return all.sort((a, b) => a.name.localeCompare(b.name));
    all.push(...portion);
  }
}
