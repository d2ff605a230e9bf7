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
import { chartRepository } from './bench/chart-repository';
import { eventually } from './bench/eventually';
import { chosenProviders, describeProviders, requireProviders } from './bench/plugin-choice';
import { clusterEnvironment } from './bench/pulumi-clusters';
import { pluginSettings } from './bench/pulumi-providers';
import { partsByDefault, partsByName, suites } from './suites';
import type { ChartSource } from './tools/charts';
import { chartFolder, chartsOf, exampleCharts, provideCharts } from './tools/charts';
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

  test('one that a part can’t do without is asked for, with the command that installs it', () => {
    const folder = folderWith('without', 0o755, 'pulumi-resource-eks');
    expect(() => requireProviders(folder, ['eks'])).not.toThrow();
    expect(() => requireProviders(folder, ['kubernetes', 'eks'])).toThrow(
      `CLUSTER_CANARY_E2E_PLUGINS: ${folder}: must be a folder with pulumi-resource-kubernetes: npm run e2e:plugins -- FOLDER kubernetes`,
    );
    expect(() => requireProviders(folderWith('with none', 0o755), ['kubernetes'])).toThrow(
      'npm run e2e:plugins',
    );
    expect(() => requireProviders(undefined, ['kubernetes', 'eks'])).toThrow(
      'CLUSTER_CANARY_E2E_PLUGINS: not set: must be a folder with pulumi-resource-kubernetes and pulumi-resource-eks: ',
    );
    expect(() => requireProviders(undefined, [])).not.toThrow();
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

test('the aws on the path has a version that the eks component takes', () => {
  const folder = join(scratch, 'clusters');
  mkdirSync(folder);
  const { PATH } = clusterEnvironment(folder, {});
  expect(execFileSync('aws', ['--version'], { encoding: 'utf8', env: { PATH } })).toMatch(
    /^aws-cli\/2\.([7-9]|\d{2,})\.\d+ /,
  );
});

test('a part that can’t do without Pulumi’s own providers runs by its name alone', () => {
  expect(partsByName()).toEqual(['real-fleet']);
  const byDefault = [...partsByDefault(false), ...partsByDefault(true)];
  expect(byDefault.filter((name) => suites[name]!.providers !== undefined)).toEqual([]);
});

describe('charts', () => {
  const ignore = () => undefined;
  const release = (inputs: object) => ({ type: 'kubernetes:helm.sh/v3:Release', inputs });

  test('are those of the plan, each once', () => {
    const repositoryOpts = { repo: 'https://charts.example.com' };
    const web = release({ chart: 'web', version: '1.2.3', repositoryOpts, namespace: 'web' });
    expect(
      chartsOf({
        resources: [
          web,
          { type: 'kubernetes:core/v1:Namespace', inputs: {} },
          release({ chart: 'oci://charts.example.com/gate', version: 'v4.5.6' }),
          web,
          release({ chart: 'web', version: '1.2.4', repositoryOpts }),
        ],
      }),
    ).toEqual([
      { chart: 'web', repository: 'https://charts.example.com', version: '1.2.3' },
      { chart: 'oci://charts.example.com/gate', version: 'v4.5.6' },
      { chart: 'web', repository: 'https://charts.example.com', version: '1.2.4' },
    ]);
    expect(chartFolder({ chart: 'oci://charts.example.com/gate', version: 'v4.5.6' }, '/cache')).toBe(
      '/cache/gate-v4.5.6/gate',
    );
  });

  test('are found in the example', async () => {
    const names = (await exampleCharts()).map(({ chart }) => chart.split('/').at(-1));
    expect(names.sort()).toEqual(['argo-cd', 'aws-load-balancer-controller', 'cert-manager']);
  });

  test('are fetched from their repository once', async () => {
    const cache = join(scratch, 'charts');
    const repository = await chartRepository([{ name: 'web', version: '1.2.3', templates: {} }]);
    const web: ChartSource = { chart: 'web', repository, version: '1.2.3' };
    const said: string[] = [];
    await provideCharts([web], (line) => said.push(line), cache);
    expect(readdirSync(join(cache, 'web-1.2.3')).sort()).toEqual(['.complete', 'web']);
    expect(readFileSync(join(chartFolder(web, cache), 'Chart.yaml'), 'utf8')).toContain('1.2.3');
    await provideCharts([{ ...web, repository: 'http://127.0.0.1:1' }], (line) => said.push(line), cache);
    expect(said).toEqual([`to be fetched, once: the chart web 1.2.3 of ${repository}`]);
  });

  test('that can’t be fetched are all named, and nothing of them stays', async () => {
    const cache = join(scratch, 'no-charts');
    const repository = await chartRepository([{ name: 'web', version: '1.2.3', templates: {} }]);
    const failing = provideCharts(
      [
        { chart: 'web', repository: 'http://127.0.0.1:1', version: '1.2.3' },
        { chart: 'oci://127.0.0.1:1/charts/gate', version: 'v4.5.6' },
        { chart: 'web', repository, version: '9.9.9' },
        { chart: 'web', repository, version: '1.2.3' },
      ],
      ignore,
      cache,
    );
    await expect(failing).rejects.toThrow(
      /^Charts that could not be fetched:\n {2}web 1\.2\.3 of http:\/\/127\.0\.0\.1:1: [^]*connection refused[^]*\n {2}oci:\/\/127\.0\.0\.1:1\/charts\/gate v4\.5\.6: [^]*connection refused[^]*\n {2}web 9\.9\.9 of /,
    );
    expect(readdirSync(cache).filter((name) => !name.startsWith('.'))).toEqual(['web-1.2.3']);
  });
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
