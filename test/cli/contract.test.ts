import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { commands } from '../../lib/cli/program';
import { pages } from '../docs/documents';
import { contractProblems } from './contract';
import { node, root, scratch } from './run-cli';

const cli = join(root, 'lib', 'cli');
const files = readdirSync(join(cli, 'commands'));

describe.each(commands.map((make) => [make().name(), make] as const))('cluster-canary %s', (name, make) => {
  test('keeps the contract', async () => {
    expect(await contractProblems(make, name === 'guard-clocks')).toEqual([]);
  });

  test('a page says how it is called', () => {
    expect(pages.some(({ text }) => text.includes(`cluster-canary ${name}`))).toBe(true);
  });
});

test('names are there once', () => {
  const names = commands.map((make) => make().name());
  expect([...new Set(names)]).toEqual(names);
});

test.each(files)('what commands/%s makes is in the program, and what it does is an action', (file) => {
  const made = Object.values(require(join(cli, 'commands', file)));
  expect(made).toHaveLength(1);
  expect(commands).toContain(made[0]);
  const action = join(cli, 'actions', file);
  expect(existsSync(action) || existsSync(action.replace(/\.ts$/, ''))).toBe(true);
});

test('the help of all commands loads no action, and no Pulumi', async () => {
  const script = join(scratch, 'helps.cjs');
  writeFileSync(
    script,
    `const { commands, clusterCanary } = require('./dist/cli/program.js');
    clusterCanary('1.2.3').commands.forEach((each) => each.helpInformation());
    console.log(JSON.stringify([commands.length, ...Object.keys(require.cache)]));`,
  );
  const { status, stdout, stderr } = await node([script]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const [count, ...loaded] = JSON.parse(stdout) as readonly [number, ...string[]];
  expect(count).toBe(commands.length);
  expect(loaded.filter((file) => file.includes('/cli/commands/'))).toHaveLength(files.length);
  expect(loaded.filter((file) => /\/cli\/actions\/|\/dist\/pulumi\/|@pulumi|@aws-sdk/.test(file))).toEqual(
    [],
  );
});

describe('one that only the test has', () => {
  const help = (examples: string, statuses = '0 all is well, 2 it could not run, 130 interrupted.') =>
    `\nExamples:\n${examples}\n\nExit status: ${statuses}`;
  const toy = (texts = help('  cluster-canary toy a.yaml --all-of-it | jq .')) =>
    new Command('toy')
      .summary('look at a file')
      .description('Look at a file, and say what is in it.')
      .argument('<file>', 'a file')
      .option('--all-of-it', 'not only the beginning')
      .addHelpText('after', texts)
      .action(() => undefined);

  test('keeps the contract', async () => {
    expect(await contractProblems(() => toy())).toEqual([]);
  });

  test.each<[string, () => Command, string]>([
    ['a name', () => toy().name('Toy'), 'Toy: name: '],
    ['a summary', () => toy().summary('Looks.'), 'toy: summary: '],
    ['a description', () => toy().description('look'), 'toy: description: '],
    ['a flag', () => toy().option('--allOfIt', 'all'), 'toy: --allOfIt: not in kebab case'],
    ['an option that is not described', () => toy().option('--more'), 'toy: --more: not described'],
    ['an argument that is not described', () => toy().argument('[more]'), 'toy: more: not described'],
    ['no examples', () => toy(help('')), 'toy: help: no example'],
    [
      'an example that it does not take',
      () => toy(help('  cluster-canary toy a.yaml --none')),
      "toy: help: the example toy a.yaml --none is not taken: error: unknown option '--none'",
    ],
    [
      'an exit status',
      () => toy(help('  cluster-canary toy a.yaml', '0 or 2')),
      'toy: help: no exit status 130',
    ],
    [
      'a verb without all of that',
      () => toy().addCommand(new Command('verb').summary('do it')),
      'toy verb: description: ',
    ],
  ])('%s is told', async (_, make, problem) => {
    expect(await contractProblems(make)).toContainEqual(expect.stringContaining(problem));
  });
});
