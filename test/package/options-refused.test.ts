import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import { App, Chart } from 'cdk8s';
import { InvalidInput, describe as lineOf } from 'cluster-canary/problems';
import type { Problem } from 'cluster-canary/problems';
import type { OptionsParameter } from './public-options';
import { optionsParameters } from './public-options';

const root = resolve(__dirname, '../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const rooms = Object.keys(manifest.typesVersions['*']);

const exempt: Readonly<Record<string, string>> = {};

const free: Readonly<Record<string, readonly string[]>> = {};

const parameters = optionsParameters(rooms).filter(({ name }) => !Object.keys(exempt).some((each) => name.startsWith(each)));

const steps = (path: string): string[] => path.split(/\.|(?=\[)/).filter((each) => each !== '');

/** An object with a value at a path, and nothing else. */
function at(path: readonly string[], value: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) {
    return value;
  }
  return first === '[0]' ? [at(rest, value)] : { [first]: at(rest, value) };
}

function call({ name, isClass, parameters: names, position, isRest }: OptionsParameter, options: unknown): unknown {
  const [room, ...path] = name.split('.');
  const found: unknown = path.reduce<any>((from, each) => from[each], require(`../../lib/${room}`));
  const given = names.map((each, index) =>
    index === position ? options : each === 'scope' ? new Chart(new App(), 'chart') : /^(id|name)$/.test(each) ? 'sample' : undefined,
  );
  return isClass ? new (found as any)(...given) : (found as any).apply(path.slice(0,-1).reduce<any>((from, each) => from[each], require(`../../lib/${room}`)), given);
}

async function problems(parameter: OptionsParameter, options: unknown): Promise<readonly Problem[]> {
  try {
    const result = (await call(parameter, options)) as any;
    return Array.isArray(result) ? result : [];
  } catch (error) {
    if (error instanceof InvalidInput) {
      return error.problems;
    }
    return [{ path: `ERR ${String((error as Error).message).slice(0,100)}`, allowed: '' }];
  }
}

const out: string[] = [];
test('x', async () => {
  for (const parameter of parameters) {
    let bad: string[] = [];
    for (const path of parameter.objects) {
      const full = path === '' ? 'noSuchOption' : `${path}.noSuchOption`;
      const found = await problems(parameter, at(steps(full), 1));
      if (!found.some((each) => each.path === full && 'allowed' in each && !('value' in each))) bad.push(`  U ${full} :: ${found.map((f) => f.path).slice(0, 4)}`);
    }
    for (const path of parameter.plain) {
      const found = await problems(parameter, at(steps(path), pulumi.output('a')));
      if (!found.some((each) => each.path === path && lineOf(each).includes('here a plain value is needed'))) bad.push(`  O ${path} :: ${found.map((f) => f.path).slice(0, 4)}`);
    }
    if (bad.length) out.push(`${parameter.name} ${bad.length}/${parameter.objects.length + parameter.plain.length}`, ...bad.slice(0, 400));
  }
  require('fs').writeFileSync('/tmp/out.txt', out.join('\n'));
}, 300000);
