import { bundleKinds } from '../../../certificates';
import { issuedCertificates } from '../../objects/cert-manager';
import { rekeys } from '../../objects/rekeys';
import { trustingObjects } from '../../objects/trusting-objects';
import type { Rule } from '../../rule';
import { judgeGates } from './rekey-gates';
import { judgeRekeyJobs } from './rekey-jobs';
import { once } from './trust-rule';

/** Without a cluster, the Jobs of a re-key are judged; with one, also whether it is ready for the phase. */
export const tls15: Rule = {
  id: 'TLS15',
  severity: 'error',
  title: 'A phase of a rotation that nothing holds back',
  why: 'API servers and pods learn of a change minutes apart: a phase that begins before the one before has arrived everywhere refuses what the webhook should see',
  fix: 'keep the Jobs that wait, or apply a phase when `cluster-canary rekey gate` says that the one before is over',
  liveKinds: (objects) =>
    objects.view(issuedCertificates).all.length > 0 && objects.view(trustingObjects).length > 0
      ? [...bundleKinds, { apiVersion: 'cert-manager.io/v1', kind: 'CertificateRequest' }]
      : [],
  *check(context) {
    const { objects, live } = context;
    for (const rekey of objects.view(rekeys)) {
      yield* judgeRekeyJobs(rekey);
    }
    if (live) {
      const all = objects.view(trustingObjects);
      yield* once(all.flatMap((trusting) => [...judgeGates(context, live, trusting)]));
    }
  },
};
