import { App, Chart, Testing } from 'cdk8s';
import { stringify } from 'yaml';
import { harden, manifestObjects } from '../../../lib/lint';
import { CertificateAuthority } from '../../../lib/manifests/certificates';
import type { HelmValues } from '../../../lib/pulumi/addons';
import { loadBalancerControllerValues } from '../../../lib/pulumi/addons/catalogue/aws-load-balancer-controller/values';
import { issue } from '../../manifests/certificates/issue';
import { lintText } from '../lint-text';
import type { Made } from './load-balancer-chart';
import { dnsNames, loadBalancerChart, madeAuthority, webhookService } from './load-balancer-chart';

/** Errors and warnings as `RULE`, each once. */
const rulesOf = (text: string): string[] => [
  ...new Set(lintText(text, { minSeverity: 'warning' }).map(({ rule }) => rule)),
];

/** The add-on's authority, and what it sets of the values. */
const authority = Testing.synth(
  ((chart) => {
    new CertificateAuthority(chart, 'ca', { name: 'webhook-ca', namespace: 'kube-system' });
    return chart;
  })(new Chart(new App(), 'authority')),
) as object[];
const ours = (values: HelmValues = {}): HelmValues => ({
  ...loadBalancerControllerValues({
    clusterName: 'blue',
    region: 'eu-west-1',
    vpcId: 'vpc-1',
    issuerRef: { name: 'webhook-ca-g1', kind: 'Issuer', group: 'cert-manager.io' },
    decision: { injectCaFrom: 'kube-system/webhook-ca-g1', timeoutSeconds: 5 },
    replicas: 2,
    manages: 'targetGroupBindings',
  }),
  ...values,
});
const withAuthority = (text: string): string =>
  text + authority.map((object) => `---\n${stringify(object)}`).join('');

/** An Argo CD Application that installs the chart with these values. */
const application = (values: HelmValues): string =>
  stringify({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'aws-load-balancer-controller' },
    spec: {
      source: {
        repoURL: 'https://aws.github.io/eks-charts',
        chart: 'aws-load-balancer-controller',
        targetRevision: '3.5.0',
        helm: { valuesObject: values },
      },
    },
  });

describe("the chart's own values", () => {
  let made: Made;
  beforeAll(async () => {
    const ca = await issue({ subject: madeAuthority, isCa: true });
    made = { authority: ca, leaf: await issue({ subject: 'leaf', signer: ca, dnsNames }) };
  });

  test('make an authority at every render, and webhooks for every Service and Ingress', () => {
    const text = loadBalancerChart({}, made);
    expect(rulesOf(text).sort()).toEqual(['ALBC01', 'ALBC03', 'TLS07', 'WH03', 'WH09', 'WH12', 'WH14']);
    expect(rulesOf(application({})).sort()).toEqual(['ALBC01', 'ALBC03']);
    // Nothing of that can be fixed without other values.
    expect(harden(text)).toMatchObject({ text, changed: [] });
  });

  test('with selectors for pods, a webhook that refuses is widened', () => {
    const values = { webhookNamespaceSelectors: [{ key: 'team', operator: 'NotIn', values: ['system'] }] };
    expect(rulesOf(loadBalancerChart(values))).toEqual(expect.arrayContaining(['ALBC02', 'WH06']));
    expect(rulesOf(application(values))).toContain('ALBC02');
  });

  test('with cert-manager, inject from the leaf of an authority whose key changes', () => {
    const text = loadBalancerChart({ enableCertManager: true });
    const isTls = (rule: string): boolean => rule.startsWith('TLS');
    expect(rulesOf(text).filter(isTls).sort()).toEqual(['TLS02', 'TLS03']);
    expect(rulesOf(harden(text).text).filter(isTls)).toEqual([]);
  });
});

describe("the add-on's values", () => {
  const rendered = loadBalancerChart(ours());

  test('have no finding of the chart', () => {
    expect(rulesOf(application(ours()))).toEqual([]);
  });

  test('hardened, have no finding at all', () => {
    expect(rulesOf(withAuthority(rendered)).sort()).toEqual(['TLS02', 'WH09']);
    const { text, left } = harden(rendered);
    expect(rulesOf(withAuthority(text))).toEqual([]);
    expect(left.filter(({ finding }) => finding.severity !== 'info')).toEqual([]);
    expect(harden(text)).toMatchObject({ text, changed: [] });
  });

  test.each(['Mutating', 'Validating'])('inject the CA of the authority into the %s webhooks', (kind) => {
    const [, configuration = ''] = harden(rendered).text.split(`kind: ${kind}WebhookConfiguration`);
    expect(configuration.split('---')[0]).toContain(
      'cert-manager.io/inject-ca-from: kube-system/webhook-ca-g1\n',
    );
    expect(configuration).not.toContain('inject-ca-from: kube-system/aws-load-balancer-serving-cert');
  });

  test('need neither annotation nor decision where the authority stands beside them', () => {
    const { serviceAnnotations: _, ...rest } = ours();
    const hardened = harden(loadBalancerChart(rest), {
      beside: manifestObjects(authority),
      decisions: [{ service: webhookService, timeoutSeconds: 5 }],
    });
    expect(rulesOf(withAuthority(hardened.text))).toEqual([]);
  });

  test.each<[string, HelmValues, string]>([
    ['one replica', { replicaCount: 1 }, 'WH12'],
    ['no budget', { podDisruptionBudget: undefined }, 'WH12'],
    ['the webhook of every Service', { enableServiceMutatorWebhook: true }, 'ALBC03'],
    ['the webhook of every Ingress', { webhookConfig: {} }, 'ALBC03'],
    [
      'a webhook for pods of every namespace',
      { webhookNamespaceSelectors: [{ key: 'a', operator: 'Exists' }] },
      'ALBC02',
    ],
    ['no annotation', { serviceAnnotations: undefined }, 'TLS02'],
  ])('with %s, a rule fires', (_, values, rule) => {
    expect(rulesOf(withAuthority(harden(loadBalancerChart(ours(values))).text))).toContain(rule);
  });
});
