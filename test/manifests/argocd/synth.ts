import { Chart, Testing } from 'cdk8s';
import { Secret } from 'kubernetes-models/v1/Secret';
import { InvalidInput } from '../../../lib/core/validation';

/** An object as cdk8s writes it, whatever its kind. */
export type Manifest = ReturnType<typeof Testing.synth>[number];

/** The only object of a chart. */
export function objectOf(build: (chart: Chart) => void): Manifest {
  const objects = objectsOf(build);
  expect(objects).toHaveLength(1);
  return objects[0];
}

/** All objects of a chart, as `cdk8s synth` writes them. */
export function objectsOf(build: (chart: Chart) => void): Manifest[] {
  const chart = new Chart(Testing.app(), 'test', { namespace: 'not-used' });
  build(chart);
  return Testing.synth(chart);
}

/** What is wrong with what a chart is built of: `PATH: ALLOWED`, all of it. */
export function problemsOf(build: (chart: Chart) => void): string[] {
  return errorOf(build).problems.map(({ path, allowed }) => `${path}: ${allowed}`);
}

/** The paths of what is wrong. */
export function pathsOf(build: (chart: Chart) => void): string[] {
  return errorOf(build).problems.map(({ path }) => path);
}

/** The error that refuses what a chart is built of; nothing may be in the chart then but the construct itself. */
export function errorOf(build: (chart: Chart) => void): InvalidInput {
  const chart = new Chart(Testing.app(), 'test');
  try {
    build(chart);
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidInput);
    expect(chart.toJson()).toEqual([]);
    return error as InvalidInput;
  }
  throw new Error('nothing was refused');
}

/** A Secret whose values are all texts, as Kubernetes demands. */
export function validated(object: Manifest): Manifest {
  new Secret(object).validate();
  expect(Object.values(object.stringData).every((value) => typeof value === 'string')).toBe(true);
  expect(object).not.toHaveProperty('data');
  return object;
}
