import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { manifestObjects, lint } from '../../lib/lint';
import { modelErrors } from './models';
import { crdErrors } from './shared-crds';

const out = mkdtempSync(join(tmpdir(), 'cluster-canary-batch-'));
const before = process.env['CDK8S_OUTDIR'];

beforeAll(async () => {
  process.env['CDK8S_OUTDIR'] = out;
  await import('../../examples/batch/manifests/main');
});
afterAll(() => {
  if (before === undefined) {
    delete process.env['CDK8S_OUTDIR'];
  } else {
    process.env['CDK8S_OUTDIR'] = before;
  }
  rmSync(out, { recursive: true });
});

const objectsOf = (chart: string): any[] =>
  readdirSync(join(out, chart)).map((file) => load(readFileSync(join(out, chart, file), 'utf8')));

test('examples/batch/manifests: schedules are in a folder of their own', () => {
  const kinds = (chart: string) => objectsOf(chart).map(({ kind }) => kind);
  expect(kinds('once')).toEqual(['CronWorkflow']);
  expect(kinds('everywhere')).toEqual(expect.arrayContaining(['WorkflowTemplate', 'EventSource', 'Sensor']));
  expect(kinds('everywhere')).not.toContain('CronWorkflow');
});

test('the schedule starts the template that every cluster has, and each step is tried again as it can bear', () => {
  const [schedule] = objectsOf('once');
  const template = objectsOf('everywhere').find(({ kind }) => kind === 'WorkflowTemplate');
  expect(schedule.spec.workflowSpec.workflowTemplateRef.name).toBe(template.metadata.name);
  const policies = template.spec.templates.map((each: any) => [
    each.name,
    each.retryStrategy?.retryPolicy ?? null,
  ]);
  expect(policies).toEqual([
    ['all', null],
    ['load', 'Always'],
    ['render', 'Always'],
    ['bill', 'OnError'],
  ]);
});

test('alerts are where Argo Events works, about workflows of the other namespace', () => {
  const objects = objectsOf('everywhere');
  const namespaceOf = (wanted: string) => objects.find(({ kind }) => kind === wanted).metadata.namespace;
  expect(['EventBus', 'EventSource', 'Sensor'].map(namespaceOf)).toEqual(Array(3).fill('argo-events'));
  const source = objects.find(({ kind }) => kind === 'EventSource');
  const watched = Object.values<any>(source.spec.resource).map(({ namespace }) => namespace);
  expect(new Set(watched)).toEqual(new Set(['batch']));
});

test('the objects fit their schemas and the rules', () => {
  const objects = [...objectsOf('everywhere'), ...objectsOf('once')];
  expect(modelErrors(objects)).toEqual([]);
  // What is written by hand here; the tests of the constructs hold the others, whose schemas are large.
  expect(crdErrors(objects.filter(({ kind }) => kind === 'EventBus'))).toEqual([]);
  expect(lint(manifestObjects(objects), { minSeverity: 'warning' }).findings).toEqual([]);
});
