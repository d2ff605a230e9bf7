import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { eventually } from './bench/eventually';
import { chosenProviders, describeProviders } from './bench/plugin-choice';
import { pluginSettings } from './bench/pulumi-providers';
import { installPlugins } from './tools/plugins';

const root = resolve(__dirname, '../..');
const scratch = mkdtempSync(join(tmpdir(), 'tools-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** A run that provides a folder, as a process of its own. */
function provider(
  manner: string,
  folder: string,
): { readonly child: ChildProcess; readonly status: Promise<number | null> } {
  const script = join(__dirname, 'bench/fill-folder.ts');
  const args = ['node_modules/.bin/ts-node', '--transpile-only', '--project', 'tsconfig.dev.json', script];
  const child = spawn(process.execPath, [...args, manner, folder, `${folder}.log`], {
    cwd: root,
    stdio: 'inherit',
  });
  return { child, status: new Promise((done) => child.on('close', done)) };
}

const logOf = (folder: string): string[] =>
  existsSync(`${folder}.log`) ? readFileSync(`${folder}.log`, 'utf8').trim().split('\n') : [];

describe('providers of a folder', () => {
  const folderWith = (name: string, mode: number, ...files: readonly string[]): string => {
    const folder = join(scratch, name);
    mkdirSync(folder);
    files.forEach((file) => writeFileSync(join(folder, file), '#!/bin/sh\n', { mode }));
    return folder;
  };

  test('take the place of the suite’s own, and it is said', () => {
    const folder = folderWith('plugins', 0o755, 'pulumi-resource-eks', 'pulumi-resource-random');
    const chosen = chosenProviders(folder);
    expect(chosen).toEqual([{ name: 'aws' }, { name: 'eks', folder }, { name: 'kubernetes' }]);
    expect(describeProviders(chosen)).toBe(`aws of the suite, eks of ${folder}, kubernetes of the suite`);
    expect(chosenProviders(relative(process.cwd(), folder))).toEqual(chosen);
  });

  test.each([[undefined], ['']])('none where the variable is %j', (folder) => {
    expect(describeProviders(chosenProviders(folder))).toBe(
      'aws of the suite, eks of the suite, kubernetes of the suite',
    );
  });

  test('a folder without one, or with one that is not executable, is refused', () => {
    const [empty, plain] = [folderWith('empty', 0o755), folderWith('plain', 0o644, 'pulumi-resource-aws')];
    expect(() => chosenProviders(empty)).toThrow(
      `${empty}: must be a folder with one of pulumi-resource-aws, `,
    );
    expect(() => chosenProviders(plain)).toThrow(`${plain}/pulumi-resource-aws: must be executable`);
  });

  test('the engine is led to them', () => {
    const folder = folderWith('led', 0o755, 'pulumi-resource-kubernetes');
    process.env.CLUSTER_CANARY_E2E_PLUGINS = folder;
    const stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      const { providers } = pluginSettings() as { providers: { name: string; path: string }[] };
      const own = providers.filter(({ path }) => path !== folder);
      expect(own.map(({ name, path }) => [name, existsSync(join(path, `pulumi-resource-${name}`))])).toEqual([
        ['aws', true],
        ['eks', true],
      ]);
      expect(stderr.mock.calls.flat()).toContain(
        `e2e: Pulumi providers: aws of the suite, eks of the suite, kubernetes of ${folder}\n`,
      );
    } finally {
      stderr.mockRestore();
      delete process.env.CLUSTER_CANARY_E2E_PLUGINS;
    }
  });
});

test('providers are installed by the CLI, in the versions of the SDKs', async () => {
  const folder = join(scratch, 'installed');
  const pulumi = join(scratch, 'pulumi');
  const script = `#!/bin/sh
    [ "$1 $2 $3" = "plugin install resource" ] || exit 1
    into="$PULUMI_HOME/plugins/resource-$4-v$5"
    mkdir -p "$into" && printf '#!/bin/sh\\necho "$0" "$@"\\n' > "$into/pulumi-resource-$4"
    chmod +x "$into/pulumi-resource-$4"\n`;
  writeFileSync(pulumi, script, { mode: 0o755 });
  await installPlugins(pulumi, folder, ['eks']);
  expect(chosenProviders(folder)).toEqual([{ name: 'aws' }, { name: 'eks', folder }, { name: 'kubernetes' }]);
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules/@pulumi/eks/package.json'), 'utf8'));
  expect(execFileSync(join(folder, 'pulumi-resource-eks'), ['127.0.0.1:1'], { encoding: 'utf8' })).toBe(
    `${folder}/home/plugins/resource-eks-v${version}/pulumi-resource-eks 127.0.0.1:1\n`,
  );
});

describe.each(['in place', 'beside'])('what two runs provide at once, %s,', (manner) => {
  const waiting = (folder: string): string =>
    `waiting for another run that provides ${folder.split('/').at(-1)}`;

  test('is made by one of them, and whole when the other goes on', async () => {
    const folder = join(scratch, `${manner} twice`);
    const [first, second] = [provider(manner, folder), provider(manner, folder)];
    expect(await Promise.all([first.status, second.status])).toEqual([0, 0]);
    expect(logOf(folder).sort()).toEqual(['begin', 'end', waiting(folder)]);
    expect(readdirSync(folder).sort()).toEqual(['.complete', 'first', 'second']);
  });

  test('is made anew where the first is killed, after the program that it ran has ended', async () => {
    const folder = join(scratch, `${manner} killed`);
    const first = provider(manner, folder);
    await eventually('the first run makes it', () => logOf(folder).includes('begin'));
    first.child.kill('SIGKILL');
    const second = provider(manner, folder);
    expect(await second.status).toBe(0);
    expect(logOf(folder)).toEqual(['begin', waiting(folder), 'end', 'begin', 'end']);
    expect(readdirSync(folder).sort()).toEqual(['.complete', 'first', 'second']);
  });
});
