import type { ObjectIndex } from '../../object-index';
import type { RawFinding, Rule } from '../../rule';
import { chartValue, isSet, loadBalancerCharts, renderedWebhooks } from '../../views/applications';
import type { LoadBalancerChart } from '../../views/applications';
import { readPemBase64 } from '../../views/pem';
import { servingCertificates } from '../../views/serving-certificates';
import { bundleText, isFromCluster, trustingObjects } from '../../views/trust';

/** @see https://github.com/kubernetes-sigs/aws-load-balancer-controller/blob/v3.5.0/helm/aws-load-balancer-controller/templates/_helpers.tpl */
export const albc01: Rule = {
  id: 'ALBC01',
  severity: 'error',
  title: 'AWS Load Balancer Controller: a new CA at every render',
  why: 'Argo CD renders with helm template, which cannot look up the Secret that is there: each render makes a new CA and key, and pods are refused until the controller has it too, for a minute or more',
  fix: 'set enableCertManager to true, with certManager.issuerRef of an authority whose key stays',
  *check({ objects }) {
    for (const chart of objects.view(loadBalancerCharts)) {
      yield* evaluateValues(chart);
    }
    yield* evaluateRendered(objects);
  },
};

function* evaluateValues({ object, source }: LoadBalancerChart): Iterable<RawFinding> {
  const enabled = chartValue(source, 'enableCertManager');
  const own = ['caCert', 'cert', 'key'].map((key) => chartValue(source, 'webhookTLS', key));
  if (enabled.by === 'given' && isSet(enabled.value)) {
    return;
  }
  if (own.every(({ by, value }) => by === 'given' && isSet(value))) {
    return;
  }
  const lacksOwn = own.some(({ by, value }) => by === 'default' || (by === 'given' && !isSet(value)));
  const { pointer } = enabled.field;
  yield enabled.by === 'unknown' || !lacksOwn
    ? {
        object,
        pointer,
        severity: 'info',
        message:
          'whether enableCertManager is true is set in a file or a parameter that is not among the manifests',
      }
    : {
        object,
        pointer,
        message:
          enabled.by === 'given'
            ? 'enableCertManager is false: the chart makes a CA of its own'
            : 'enableCertManager is unset, which is false: the chart makes a CA of its own',
      };
}

/** Subject of the CA that the chart makes. */
const madeByChart = /(?:^|\n)CN=aws-load-balancer-controller-ca(?:\n|$)/;

function* evaluateRendered(objects: ObjectIndex): Iterable<RawFinding> {
  const rendered = new Set([...objects.view(renderedWebhooks).values()].flat());
  for (const { object, anchors, sources } of objects.view(trustingObjects)) {
    const anchor = anchors.find(({ webhook }) => webhook && rendered.has(webhook));
    const bundle = anchor && bundleText(anchor);
    if (!anchor?.service || bundle === undefined || sources.length > 0 || isFromCluster(object)) {
      continue;
    }
    const [secret] = servingCertificates(objects, anchor.service).literal;
    const { certificates } = readPemBase64(objects, bundle);
    if (secret && certificates.some(({ subject }) => madeByChart.test(subject))) {
      yield {
        object,
        pointer: anchor.caBundle.pointer,
        message: `the chart made this CA while it was rendered, and the key in the Secret ${secret.object.name}`,
      };
    }
  }
}
