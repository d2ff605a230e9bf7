import { notificationProblems } from '../../../lib/manifests/argocd';
import type { RestartNotification } from '../../../lib/manifests/restarter';

/** What the constructs of Argo CD find wrong with Argo CD's part. */
export function gitopsProblems({ service, template, trigger }: RestartNotification): readonly object[] {
  return notificationProblems({
    services: [service],
    templates: [template],
    triggers: [trigger],
    secretName: 'argocd-notifications-secret',
  });
}
