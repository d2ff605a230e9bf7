import { notificationProblems } from '../../lib/gitops';
import type { RestartNotification } from '../../lib/progressive';

/** What the gitops room finds wrong with Argo CD's part. */
export function gitopsProblems({ service, template, trigger }: RestartNotification): readonly object[] {
  return notificationProblems({
    services: [service],
    templates: [template],
    triggers: [trigger],
    secretName: 'argocd-notifications-secret',
  });
}
