import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  entriesBelow,
  FileRefused,
  longestFile,
  readBounded,
  readBoundedLater,
  readDescriptor,
} from '../../../lib/core/files/read';
import {
  checkBelow,
  isTemporary,
  makeFolders,
  writeBelow,
  writeInPlace,
} from '../../../lib/core/files/write';

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'cluster-canary-files-')));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

let folders = 0;
function folder(): string {
  folders += 1;
  const made = join(scratch, String(folders));
  mkdirSync(made);
  return made;
}

function pipe(file: string): string {
  execFileSync('mkfifo', [file]);
  return file;
}

/** What is refused, and why. */
function refused(act: () => unknown): [string, string] {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(FileRefused);
    const { file, reason, message } = error as FileRefused;
    expect(message).toBe(`${file}: ${reason}`);
    return [file, reason];
  }
  throw new Error('nothing was refused');
}

describe('a file is read', () => {
  test('to its end, by a link as well', () => {
    const root = folder();
    const [file, link] = [join(root, 'a'), join(root, 'link')];
    const text = 'ä'.repeat(300_000);
    writeFileSync(file, text);
    symlinkSync('a', link);
    expect([readBounded(file).toString(), readBounded(link).toString()]).toEqual([text, text]);
    expect(() => readBounded(link, { refuseLink: true })).toThrow('ELOOP');
    expect(() => readBounded(join(root, 'gone'))).toThrow('ENOENT');
  });

  test('and nothing that is none, without waiting', async () => {
    const root = folder();
    const socket = createServer();
    await new Promise<void>((resolve) => socket.listen(join(root, 'socket'), resolve));
    symlinkSync('/dev/zero', join(root, 'zeros'));
    const kinds = [root, pipe(join(root, 'pipe')), join(root, 'socket'), join(root, 'zeros')].map(
      (file) => refused(() => readBounded(file))[1],
    );
    socket.close();
    expect(kinds).toEqual(['a folder', 'a named pipe', 'a socket', 'a device']);
  });

  test('up to its bound, and not further', () => {
    const file = join(folder(), 'large');
    writeFileSync(file, 'abcd');
    expect(readBounded(file, { longest: 4 }).toString()).toBe('abcd');
    truncateSync(file, longestFile + 1);
    expect(refused(() => readBounded(file))).toEqual([file, 'more than 64 MiB']);
    const zeros = openSync('/dev/zero', 'r');
    expect(refused(() => readDescriptor(zeros, 'stdin', 2 ** 20))).toEqual(['stdin', 'more than 1 MiB']);
    closeSync(zeros);
  });
});

describe('a file is read while other things run', () => {
  test('to its end, and what a shell hands over as well', async () => {
    const root = folder();
    const text = 'ä'.repeat(300_000);
    writeFileSync(join(root, 'a'), text);
    expect((await readBoundedLater(join(root, 'a'), 600_000)).toString()).toBe(text);
    const handed = pipe(join(root, 'pipe'));
    // A named pipe that is opened again waits for a writer, unlike the pipes of a shell: this one is still there.
    spawn('sh', ['-c', 'exec > "$0"; printf token; sleep 1', handed]);
    const descriptor = openSync(handed, 'r');
    expect((await readBoundedLater(`/dev/fd/${descriptor}`, 5)).toString()).toBe('token');
    closeSync(descriptor);
    await expect(readBoundedLater(join(root, 'gone'), 1)).rejects.toThrow('ENOENT');
  });

  test('and nothing that is none or is too long, without waiting', async () => {
    const root = folder();
    writeFileSync(join(root, 'long'), 'abcde');
    const reasonOf = async (file: string): Promise<string> => {
      const error: unknown = await readBoundedLater(file, 4).catch((each: unknown) => each);
      expect(error).toBeInstanceOf(FileRefused);
      return (error as FileRefused).reason;
    };
    const files = [root, pipe(join(root, 'pipe')), '/dev/zero', join(root, 'long')];
    expect(await Promise.all(files.map(reasonOf))).toEqual([
      'a folder',
      'a named pipe',
      'a device',
      'more than 4 bytes',
    ]);
  });
});

describe('folders are made', () => {
  test('with those above them, again, and behind a link', () => {
    const root = folder();
    symlinkSync(root, join(root, 'link'));
    for (const path of ['a/b/c', 'a/b/c', 'link/d', 'a/../e/']) {
      makeFolders(join(root, path));
    }
    expect(['a/b/c', 'd', 'e'].map((path) => statSync(join(root, path)).isDirectory())).toEqual([
      true,
      true,
      true,
    ]);
  });

  test('but not in the place of a file, below one, or where a link leads nowhere', () => {
    const root = folder();
    const [file, link] = [join(root, 'file'), join(root, 'link')];
    writeFileSync(file, '');
    symlinkSync('gone', link);
    expect(refused(() => makeFolders(file))).toEqual([file, 'a file']);
    expect(refused(() => makeFolders(join(file, 'a', 'b')))).toEqual([file, 'a file']);
    expect(refused(() => makeFolders('/dev/null/x'))).toEqual(['/dev/null', 'a device']);
    expect(() => makeFolders(link)).toThrow('EEXIST');
    expect(readdirSync(root).sort()).toEqual(['file', 'link']);
  });

  test('and not without an end where the system takes no new name', () => {
    expect(() => makeFolders('/proc/no/such/folder')).toThrow(/^E[A-Z]+: .*mkdir '\/proc/);
  });
});

describe('files are written below a folder', () => {
  test('that may be a link itself, with folders on the way', () => {
    const root = folder();
    mkdirSync(join(root, 'real'));
    symlinkSync('real', join(root, 'link'));
    writeBelow(join(root, 'link'), [
      { path: 'a/b/c.yaml', text: 'c' },
      { path: './d', text: 'd', mode: 0o600 },
    ]);
    expect(entriesBelow(join(root, 'real'))).toEqual([
      { path: 'a/b/c.yaml', isFile: true },
      { path: 'd', isFile: true },
    ]);
    expect(readFileSync(join(root, 'real/a/b/c.yaml'), 'utf8')).toBe('c');
    expect(statSync(join(root, 'real/d')).mode & 0o777).toBe(0o600);
  });

  test('keep their permissions, and another name of the file what it has', () => {
    const root = folder();
    const [file, other] = [join(root, 'file'), join(scratch, `other-${folders}`)];
    writeFileSync(other, 'old');
    chmodSync(other, 0o640);
    linkSync(other, file);
    writeBelow(root, [{ path: 'file', text: 'new' }]);
    expect([readFileSync(file, 'utf8'), readFileSync(other, 'utf8')]).toEqual(['new', 'old']);
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(readdirSync(root)).toEqual(['file']);
  });

  const outside = join(scratch, 'outside');
  beforeAll(() => {
    mkdirSync(outside);
    writeFileSync(join(outside, 'file'), 'mine');
  });
  test.each<[string, (root: string) => void, string, [string, string]]>([
    [
      'a link where the file is to be',
      (root) => symlinkSync(join(outside, 'file'), join(root, 'x')),
      'x',
      ['x', 'a link'],
    ],
    [
      'a link that leads nowhere yet',
      (root) => symlinkSync(join(outside, 'new'), join(root, 'x')),
      'x',
      ['x', 'a link'],
    ],
    [
      'a link where a folder is to be',
      (root) => symlinkSync(outside, join(root, 'x')),
      'x/file',
      ['x', 'a link'],
    ],
    ['a pipe', (root) => pipe(join(root, 'x')), 'x', ['x', 'a named pipe']],
    ['a folder', (root) => mkdirSync(join(root, 'x')), 'x', ['x', 'a folder']],
    ['a file as a folder', (root) => writeFileSync(join(root, 'x'), ''), 'x/y', ['x', 'a file']],
    ['a path upwards', () => undefined, '../outside/file', ['../outside/file', 'no path of a file in .']],
    ['an absolute path', () => undefined, join(outside, 'file'), [join('.', outside, 'file'), 'no path']],
    ['no path', () => undefined, '.', ['.', 'no path']],
  ])('%s is refused, and nothing is written', (_, prepare, path, [place, reason]) => {
    const root = folder();
    prepare(root);
    const before = readdirSync(root);
    const files = [
      { path: 'first', text: 'first' },
      { path, text: 'new' },
    ];
    for (const act of [() => writeBelow(root, files), () => checkBelow(root, path)]) {
      const [file, why] = refused(act);
      expect(file).toBe(join(root, place));
      expect(why).toContain(reason.replace(/ \.$/, ''));
    }
    expect(readdirSync(root)).toEqual(before);
    expect(readdirSync(outside)).toEqual(['file']);
    expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('mine');
  });

  test('and what a run that was killed has left beside them is removed, and nothing else', () => {
    const root = folder();
    const named = (digit: string): string => `.cluster-canary-${digit.repeat(16)}`;
    const old = [named('a'), named('b'), `a/${named('c')}`, `${named('d')}0`, `.${named('e')}`, 'mine'];
    mkdirSync(join(root, 'a'));
    mkdirSync(join(root, 'b'));
    mkdirSync(join(root, named('0')));
    [...old, named('f'), `b/${named('c')}`].forEach((path) => writeFileSync(join(root, path), ''));
    symlinkSync('mine', join(root, named('1')));
    const before = new Date(Date.now() - 3_600_000);
    [...old, `b/${named('c')}`].forEach((path) => utimesSync(join(root, path), before, before));
    expect(entriesBelow(root).filter(isTemporary)).toEqual(
      [named('a'), named('b'), named('f'), `a/${named('c')}`, `b/${named('c')}`].map((path) => ({
        path,
        isFile: true,
      })),
    );
    writeBelow(root, [
      { path: 'x', text: '' },
      { path: 'a/x', text: '' },
    ]);
    expect(readdirSync(root).sort()).toEqual(
      // One that is still written, a folder, a link, other names.
      ['a', 'b', 'mine', 'x', named('f'), named('0'), named('1'), `${named('d')}0`, `.${named('e')}`].sort(),
    );
    expect([readdirSync(join(root, 'a')), readdirSync(join(root, 'b'))]).toEqual([['x'], [named('c')]]);
  });

  test('leave nothing behind where the system refuses', () => {
    const root = folder();
    expect(() => writeBelow(root, [{ path: 'x'.repeat(300), text: '' }])).toThrow('ENAMETOOLONG');
    expect(readdirSync(root)).toEqual([]);
    expect(() => checkBelow(root, 'not/there')).not.toThrow();
  });
});

describe('a file is written in place', () => {
  test('also where it is made, or shorter than before', () => {
    const file = join(folder(), 'message');
    for (const text of ['long text\n', 'short\n']) {
      writeInPlace(file, text);
      expect(readFileSync(file, 'utf8')).toBe(text);
    }
  });

  test('and nothing through a link, another name or a pipe', () => {
    const root = folder();
    const mine = join(root, 'mine');
    writeFileSync(mine, 'mine');
    const [link, name, queue] = [join(root, 'link'), join(root, 'name'), pipe(join(root, 'pipe'))];
    symlinkSync('mine', link);
    expect(refused(() => writeInPlace(link, 'x'))).toEqual([link, 'a link']);
    linkSync(mine, name);
    expect(refused(() => writeInPlace(name, 'x'))[1]).toBe('a file that has other names, too');
    expect(refused(() => writeInPlace(queue, 'x'))[1]).toBe('a pipe or a socket');
    expect(readFileSync(mine, 'utf8')).toBe('mine');
  });
});
