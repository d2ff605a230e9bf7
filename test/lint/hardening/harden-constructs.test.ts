import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiObject, App, Chart, Include, Testing } from 'cdk8s';
import { parseAllDocuments } from 'yaml';
import { InvalidInput } from '../../../lib/core/validation';
import { harden, hardenConstructs } from '../../../lib/lint';
import { loadBalancerChart, webhookService } from './load-balancer-chart';

const folder = mkdtempSync(join(tmpdir(), 'harden-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A chart that somebody else's manifests are included in. */
function including(text: string): { app: App; chart: Chart } {
  const url = join(folder, 'rendered.yaml');
  writeFileSync(url, text);
  const app = new App({ outdir: folder });
  const chart = new Chart(app, 'included');
  new Include(chart, 'rendered', { url });
  return { app, chart };
}

const byKind = (objects: readonly any[]): unknown[] =>
  [...objects].sort((one, other) =>
    `${one.kind} ${one.metadata.name}` < `${other.kind} ${other.metadata.name}` ? -1 : 1,
  );

describe('hardenConstructs', () => {
  const rendered = loadBalancerChart({ enableCertManager: true });
  const decisions = [{ service: webhookService, timeoutSeconds: 5, leaveOut: ['kube-system'] }];

  test('makes of included manifests what the text comes to', () => {
    const { app, chart } = including(rendered);
    const { changed, failures } = hardenConstructs(app, { decisions });
    const text = harden(rendered, { decisions });
    expect(byKind(Testing.synth(chart))).toEqual(
      byKind(parseAllDocuments(text.text).map((document) => document.toJSON() as unknown)),
    );
    expect(changed.map(({ rule }) => rule).sort()).toEqual(text.changed.map(({ rule }) => rule).sort());
    expect(changed.flatMap(({ also = [] }) => [1, ...also]).length).toBeGreaterThan(20);
    expect(failures).toEqual([]);
  });

  test('changes nothing the second time, and tells what is left', () => {
    const { app } = including(rendered);
    hardenConstructs(app, { decisions });
    const { changed, left } = hardenConstructs(app, { decisions });
    expect(changed).toEqual([]);
    expect(left.map(({ finding }) => finding.rule)).toContain('WH12');
  });

  test('sees objects of all charts together, and those of a chart alone', () => {
    const parts = rendered.split(/(?=---\n# Source)/);
    const configurations = parts.filter((each) => each.includes('WebhookConfiguration')).join('');
    const others = parts.filter((each) => !each.includes('WebhookConfiguration')).join('');
    const { app, chart } = including(configurations);
    const more = join(folder, 'more.yaml');
    writeFileSync(more, others);
    new Include(new Chart(app, 'others'), 'rendered', { url: more });
    expect(hardenConstructs(chart).changed).toEqual([]);
    expect(
      hardenConstructs(app)
        .changed.map(({ rule }) => rule)
        .sort(),
    ).toEqual(['HARDEN02', 'TLS02', 'TLS02']);
  });

  test('what is wrong with decisions changes nothing', () => {
    const { app, chart } = including(rendered);
    const before = Testing.synth(chart);
    expect(() => hardenConstructs(app, { decisions: [{ ...decisions[0], timeoutSeconds: 0 }] })).toThrow(
      InvalidInput,
    );
    expect(Testing.synth(chart)).toEqual(before);
  });

  test('a decision that brings an error changes nothing either', () => {
    const { app, chart } = including(rendered);
    const before = Testing.synth(chart);
    const service = Object.values(before as readonly { kind: string; metadata: { name: string } }[])
      .filter(({ kind }) => kind === 'Service')
      .map(({ metadata: { name } }) => name)
      .find((name) => name.includes('webhook'));
    const issuer = before
      .filter(({ kind, spec }: { kind: string; spec: object }) => kind === 'Issuer' && 'selfSigned' in spec)
      .map(({ metadata: { name } }: { metadata: { name: string } }) => `kube-system/${name}`)[0] as string;
    const bySelf = [{ service: `kube-system/${service}`, issuer }];
    expect(() => hardenConstructs(app, { decisions: bySelf })).toThrow(/brings no error: TLS\d\d at /);
    expect(Testing.synth(chart)).toEqual(before);
  });

  test('objects of no kind that rules know stay as they are', () => {
    const chart = new Chart(new App(), 'own');
    new ApiObject(chart, 'thing', { apiVersion: 'example.com/v1', kind: 'Thing', spec: { a: [1] } });
    const before = Testing.synth(chart);
    expect(hardenConstructs(chart)).toEqual({ changed: [], left: [], failures: [], unmatched: [] });
    expect(Testing.synth(chart)).toEqual(before);
  });
});
