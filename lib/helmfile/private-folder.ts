import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that only this user can read. */
export interface PrivateFolder {
  readonly path: string;
  /** Folder for what programs leave behind. */
  readonly temporary: string;
  /** Writes a file that only this user can read, and answers its path. */
  write(name: string, text: string): Promise<string>;
}

/** Does something with a folder that is gone afterwards, however that ends. */
export async function withPrivateFolder<T>(use: (folder: PrivateFolder) => Promise<T>): Promise<T> {
  // Made with the mode 0700.
  const path = await mkdtemp(join(tmpdir(), 'cluster-canary-helmfile-'));
  try {
    const temporary = join(path, 'temporary');
    await mkdir(temporary, { mode: 0o700 });
    const write = async (name: string, text: string): Promise<string> => {
      const file = join(path, name);
      await writeFile(file, text, { mode: 0o600, flag: 'wx' });
      return file;
    };
    return await use({ path, temporary, write });
  } finally {
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
  }
}
