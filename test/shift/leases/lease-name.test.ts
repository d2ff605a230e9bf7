import { kubernetesLeaseName, leaseName, ssmLeaseParameter } from 'cluster-canary/leases';
import { dnsSubdomain } from 'cluster-canary/validation';
import fc from 'fast-check';
import { ruleArn } from '../routers/arns';

test('a name is the beginning of the id and a hash, and stays the same', () => {
  expect(leaseName(ruleArn)).toBe('listener-rule-app-edge-50dc6c495c0c9188-f2f7d-df6461c4a024');
  expect(leaseName('route53:Z1:www.example.com:A')).toMatch(/^route53-z1-www-example-com-a-[0-9a-f]{12}$/);
  expect(ssmLeaseParameter(ruleArn)).toBe(`/cluster-canary/leases/${leaseName(ruleArn)}`);
  expect(kubernetesLeaseName(ruleArn)).toBe(`shift-${leaseName(ruleArn)}`);
});

test('names fit SSM and Kubernetes, whatever the id', () => {
  fc.assert(
    fc.property(fc.fullUnicodeString({ maxLength: 300 }), (id) => {
      expect(leaseName(id)).toMatch(/^[a-z0-9]([a-z0-9-]{0,56}[a-z0-9])?$/);
      expect(ssmLeaseParameter(id)).toMatch(/^\/[a-zA-Z0-9_.-]+\/[a-zA-Z0-9_.-]+\/[a-zA-Z0-9_.-]+$/);
      expect(dnsSubdomain.accepts(kubernetesLeaseName(id))).toBe(true);
    }),
  );
});

test('two ids have two names, also where they begin alike', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (one, other) => {
      fc.pre(one !== other);
      expect(leaseName(`${'x'.repeat(60)}/${one}`)).not.toBe(leaseName(`${'x'.repeat(60)}/${other}`));
    }),
  );
});
