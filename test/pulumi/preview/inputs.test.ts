import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Problems } from '../../../lib/core/validation';
import { preview, readAnswers } from '../../../lib/pulumi/preview';
import { answerInvoke } from '../../../lib/pulumi/preview/answers';
import { joinConfiguration } from '../../../lib/pulumi/preview/configuration';
import { readProject, stackName } from '../../../lib/pulumi/preview/project';
import { isWireSecret, readable } from '../../../lib/pulumi/preview/wire';
import { folder, problemsOf, scratch } from './scratch';

describe('configuration', () => {
  const names = {
    project: (key: string) => `Pulumi.yaml ${key}`,
    stack: () => 'Pulumi.dev.yaml',
    secrets: 'secrets',
  };
  const join = (sources: object) => {
    const problems = new Problems('configuration');
    const joined = joinConfiguration(
      { project: 'shop', declared: {}, stack: {}, ...sources },
      names,
      problems,
    );
    problems.throwIfAny();
    return joined;
  };

  test.each([
    ['a text', { stack: { 'shop:a': 'x' } }, { 'shop:a': 'x' }],
    ['a number', { stack: { 'shop:a': 1.5 } }, { 'shop:a': '1.5' }],
    ['a truth value', { stack: { 'shop:a': false } }, { 'shop:a': 'false' }],
    ['nothing', { stack: { 'shop:a': null } }, { 'shop:a': '' }],
    ['a structure', { stack: { 'shop:a': { b: [1, { c: true }] } } }, { 'shop:a': '{"b":[1,{"c":true}]}' }],
    ['an old key', { stack: { 'shop:config:a': 'x' } }, { 'shop:a': 'x' }],
    ['a key without a namespace', { stack: { a: 'x' } }, { 'shop:a': 'x' }],
    ['a default', { declared: { a: { type: 'integer', default: 3 } } }, { 'shop:a': '3' }],
    ['a short default', { declared: { a: [1, 2] } }, { 'shop:a': '[1,2]' }],
    ['a value of another namespace', { declared: { 'aws:region': { value: 'r' } } }, { 'aws:region': 'r' }],
    ['a value that wins over the default', { declared: { a: 1 }, stack: { 'shop:a': 2 } }, { 'shop:a': '2' }],
    [
      'a value of the caller',
      { stack: { 'shop:a': 2 }, overrides: { a: { b: 3 } } },
      { 'shop:a': '{"b":3}' },
    ],
  ])('%s', (_, sources, values) => {
    expect(join(sources)).toEqual({ values, secretKeys: [] });
  });

  test('secrets are never decrypted, at any depth, and can have stand-ins', () => {
    const stack = {
      'shop:token': { secure: 'v1:cipher' },
      'shop:deep': { list: [{ key: { secure: 'v1:cipher' }, open: 1 }] },
      'shop:number': { secure: 'v1:cipher' },
      'shop:open': { secure: 'x', and: 'another key' },
    };
    expect(
      join({ stack, declared: { hidden: { default: 'h', secret: true } }, secrets: { number: 3 } }),
    ).toEqual({
      values: {
        'shop:token': '[secret]',
        'shop:deep': '{"list":[{"key":"[secret]","open":1}]}',
        'shop:number': '3',
        'shop:open': '{"secure":"x","and":"another key"}',
        'shop:hidden': 'h',
      },
      secretKeys: ['shop:token', 'shop:deep', 'shop:number', 'shop:hidden'],
    });
  });

  test('every problem is told at once', () => {
    expect(
      problemsOf(() =>
        join({
          declared: { one: { type: 'string' }, 'shop:two': {}, 'aws:region': {} },
          stack: { 'shop:open': 'x' },
          secrets: { open: 'y', gone: 'z' },
        }),
      ),
    ).toEqual([
      'Pulumi.dev.yaml: must be a file that sets shop:one, which Pulumi.yaml one declares',
      'Pulumi.dev.yaml: must be a file that sets shop:two, which Pulumi.yaml shop:two declares',
      'secrets.open: must be the key of a secret configuration value',
      'secrets.gone: must be the key of a secret configuration value',
    ]);
    expect(problemsOf(() => join({ stack: ['a'] }))).toEqual([
      'Pulumi.dev.yaml: must be a map of configuration keys',
    ]);
  });
});

describe('project files', () => {
  const read = (program: string, choice = {}) => {
    const problems = new Problems('preview');
    const project = readProject(program, choice, problems);
    problems.throwIfAny();
    return project!;
  };
  const yaml = 'name: shop\nruntime: nodejs\n';

  test.each([
    ['the given one', ['a', 'b'], 'b', 'b', 'Pulumi.b.yaml'],
    ['the only one', ['a'], undefined, 'a', 'Pulumi.a.yaml'],
    ['dev among several', ['a', 'dev'], undefined, 'dev', 'Pulumi.dev.yaml'],
    ['dev without a file', ['a', 'b'], undefined, 'dev', null],
    ['the given one without a file', ['a'], 'c', 'c', null],
    ['the given one with its organization', ['a'], 'acme/shop/a', 'a', 'Pulumi.a.yaml'],
  ])('the stack is %s', (_, stacks, choice, stack, configurationFile) => {
    const files = stacks.map((name) => [`Pulumi.${name}.yaml`, `config: { shop:who: ${name} }\n`]);
    const root = folder({ 'Pulumi.yaml': yaml, ...Object.fromEntries(files) });
    const project = read(root, { stack: choice });
    expect(project).toMatchObject({ stack, configurationFile });
    expect(project.configuration.values).toEqual(configurationFile ? { 'shop:who': stack } : {});
  });

  test.each([
    ['dev', { stack: 'dev', organization: 'organization' }],
    ['acme/dev', { stack: 'dev', organization: 'acme' }],
    ['acme/shop/dev', { stack: 'dev', organization: 'acme' }],
    [undefined, { stack: 'dev', organization: 'organization' }],
  ])('the stack name %s is taken apart', (name, parts) => {
    expect(stackName(name)).toEqual(parts);
  });

  test('a program is a file, a folder, or what Pulumi.yaml says', () => {
    const root = folder({
      'Pulumi.yaml': `${yaml}main: src/start.ts\n`,
      'src/start.ts': '',
      'src/other.js': '',
      'lib/x.ts': '',
    });
    expect(read(root)).toMatchObject({ name: 'shop', root, directory: join(root, 'src'), entry: 'start.ts' });
    expect(read(join(root, 'src', 'other.js'))).toMatchObject({ name: 'shop', root, entry: 'other.js' });
    const whole = folder({ 'Pulumi.yaml': yaml });
    expect(read(whole)).toMatchObject({ directory: whole, entry: '.', typescript: true });
    const main = folder({ 'Pulumi.yml': `${yaml}main: program\n`, 'program/index.ts': '' });
    expect(read(main)).toMatchObject({ directory: join(main, 'program'), entry: '.' });
    const alone = folder({ 'tool.js': '' });
    expect(read(join(alone, 'tool.js'))).toMatchObject({ root: alone, directory: alone, entry: 'tool.js' });
  });

  test('options, folders of stack files and environments are understood', () => {
    const root = folder({
      'Pulumi.yaml':
        'name: shop\nruntime: { name: nodejs, options: { typescript: false } }\nstackConfigDir: stacks\n',
      'stacks/Pulumi.live.yaml': 'environment: [base, acme/live]\nconfig: { shop:a: 1 }\n',
    });
    expect(read(root)).toMatchObject({
      stack: 'live',
      typescript: false,
      environments: ['base', 'acme/live'],
      configuration: { values: { 'shop:a': '1' } },
    });
    const old = folder({
      'Pulumi.yaml': `${yaml}config: stacks\n`,
      'stacks/Pulumi.live.yaml': 'environment: { imports: [base] }\n',
    });
    expect(read(old)).toMatchObject({ stack: 'live', environments: ['base'] });
  });

  test('everything that is wrong is told at once, with file and line', () => {
    const root = folder({
      'Pulumi.yaml':
        'description: x\nname: [1]\nruntime:\n  name: python\nmain: gone.ts\nconfig:\n  needed: {}\n',
    });
    expect(problemsOf(() => read(root)).map((line) => line.replace(/^\S*\//, ''))).toEqual([
      'Pulumi.yaml:2 name: [1]: must be the name of the project',
      'Pulumi.yaml:3 runtime: "python": must be "nodejs": only such programs can be previewed',
      expect.stringMatching(
        /Pulumi\.dev\.yaml: must be a file that sets .*:needed, which .*Pulumi\.yaml:7 declares$/,
      ),
      'Pulumi.yaml:5 main: "gone.ts": must be a file or folder that exists',
    ]);
  });

  test('a torn file names line and column, and nothing that stands there', () => {
    const root = folder({
      'Pulumi.yaml': `${yaml}config: { needed: {} }\n`,
      'Pulumi.dev.yaml': 'config:\n  shop:token: hidden-text: x\n  shop:token: other\n',
    });
    const problems = problemsOf(() => read(root));
    expect(problems[0]).toMatch(/Pulumi\.dev\.yaml:2:15: must be valid YAML: /);
    expect(problems.join()).not.toMatch(/hidden-text|needed/);
  });

  test.each([['gone'], ['gone.ts'], ['.'], ['notes.txt']])('%s is no program', (name) => {
    const root = folder({ 'notes.txt': '' });
    expect(problemsOf(() => read(join(root, name)))).toEqual([
      expect.stringMatching(/^program: ".*": must be a folder with a Pulumi\.yaml, or a \.ts or \.js file$/),
    ]);
  });
});

describe('answers', () => {
  const file = (text: string) => join(folder({ 'answers.yaml': text }), 'answers.yaml');

  test('are read from YAML, with texts marked as secret', () => {
    const answers = readAnswers(
      file(
        'stackReferences:\n  a/b/c: { token: !secret hidden, list: [1] }\ninvokes: [{ token: a:b:c, returns: {} }]\n',
      ),
    );
    const outputs = answers.stackReferences!['a/b/c']!;
    expect(isWireSecret(outputs['token'])).toBe(true);
    expect(readable(outputs)).toEqual({ token: '[secret]', list: [1] });
  });

  test('an empty file answers nothing', () => {
    expect(readAnswers(file('# nothing yet\n'))).toEqual({});
  });

  test('are refused with everything that is wrong, with file and line', () => {
    const text = [
      'invoke: []',
      'invokes:',
      '  - token: aws:getVpc',
      '    returns: [1]',
      '    return: {}',
      '  - token: a:b:c',
      '    args: text',
      '    returns: {}',
      '  - text',
      'stackReferences:',
      '  a/b/c: [1]',
      'secrets: text',
    ].join('\n');
    expect(problemsOf(() => readAnswers(file(text), 'answers.yaml'))).toEqual([
      'answers.yaml:1 invoke: unknown key, did you mean "invokes"?; known keys: invokes, stackReferences, secrets',
      'answers.yaml:5 invokes[0].return: unknown key, did you mean "returns"?; known keys: token, args, returns',
      'answers.yaml:3 invokes[0].token: must be the token of a function, such as aws:ec2/getVpc:getVpc',
      "answers.yaml:4 invokes[0].returns: must be a map with the function's result",
      'answers.yaml:7 invokes[1].args: must be a map of arguments',
      'answers.yaml:9 invokes[2]: must be a map with token, args and returns',
      "answers.yaml:11 stackReferences.a/b/c: must be a map of the stack's outputs",
      'answers.yaml:12 secrets: must be a map of configuration keys',
    ]);
  });

  test.each([
    ['a list', '- a\n', 'answers.yaml: must be a map with invokes, stackReferences and secrets'],
    ['no YAML', 'a: b: c\n', 'answers.yaml:1:4: must be valid YAML: '],
    ['an unknown tag', 'secrets: { a: !vault x }\n', 'answers.yaml:1:15: must be valid YAML: '],
    ['no list', 'invokes: {}\n', 'answers.yaml:1 invokes: must be a list of { token, args, returns }'],
  ])('%s is refused', (_, text, problem) => {
    expect(problemsOf(() => readAnswers(file(text), 'answers.yaml'))).toEqual([
      expect.stringContaining(problem) as unknown,
    ]);
  });

  test('a file that is not there is refused', () => {
    expect(problemsOf(() => readAnswers(join(scratch, 'gone.yaml'), 'gone.yaml'))).toEqual([
      'gone.yaml: must be a readable file (ENOENT)',
    ]);
  });

  test('a file whose text is not in UTF-8 is refused', () => {
    const latin1 = file('');
    writeFileSync(latin1, 'secrets: { a: caf\xe9 }\n', 'latin1');
    expect(problemsOf(() => readAnswers(latin1, 'answers.yaml'))).toEqual([
      'answers.yaml: must be a readable file (not text in UTF-8)',
    ]);
  });

  test('an answer fits a call that has its arguments', () => {
    const answers = { invokes: [{ token: 't', args: { a: { b: [1] } }, returns: { found: true } }] };
    expect(answerInvoke(answers, 't', { a: { b: [1] }, c: 2 })).toEqual({ found: true });
    expect(answerInvoke(answers, 't', { a: { b: [1, 2] } })).toBeUndefined();
    expect(answerInvoke(answers, 'u', { a: { b: [1] } })).toBeUndefined();
    expect(answerInvoke({}, 't', {})).toBeUndefined();
  });
});

test('options of other types are refused, all at once, and no answer or configuration is shown', async () => {
  const wrong: any = {
    ...{ program: 7, stack: 1, config: ['hunter2'], answers: ['hunter2'], timeoutSeconds: Infinity },
    ...{ onRegistration: 'log', waitUntilIdel: true },
  };
  const message = await preview(wrong).then(String, String);
  expect(message.split('\n').map((line) => line.trim().split(': ')[0])).toEqual([
    ...['InvalidInput', 'waitUntilIdel', 'program', 'stack', 'config', 'answers'],
    ...['timeoutSeconds', 'onRegistration'],
  ]);
  expect(message).not.toContain('hunter2');
  expect(message).toContain('unknown key, did you mean "waitUntilIdle"?');
});
