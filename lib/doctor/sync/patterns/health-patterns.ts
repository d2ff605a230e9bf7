import type { MessagePattern } from '../message-pattern';

/** What became of objects that were applied. */
export const healthPatterns: readonly MessagePattern[] = [
  {
    cause: 'progress-deadline',
    category: 'user',
    expression: /exceeded its progress deadline/,
    rule: "The pods of a new revision did not become ready in time: they are refused, can't start, or are not ready.",
    advice: 'Look at the newest ReplicaSet and its pods: events, then logs.',
    sources: ['argoproj/gitops-engine 97ad5b59a627 pkg/health/health_deployment.go'],
  },
  {
    cause: 'image-not-pulled',
    category: 'user',
    expression:
      /Back-off pulling image "?(?<by>[^"\s]{1,500})|ErrImagePull|[Ff]ailed to pull (?:and unpack )?image/,
    rule: 'The image is not there under this name, or may not be read.',
    advice: 'Mend name, tag or digest of the image, or the credentials of the node or pod for the registry.',
    sources: ['kubernetes/kubernetes v1.35.4 pkg/kubelet/images/image_manager.go'],
  },
  {
    cause: 'container-fails',
    category: 'user',
    expression: /back-off \S{1,40} restarting failed container/,
    rule: 'The program ends again and again.',
    advice: 'Read the log of its last run: `kubectl logs --previous`.',
    sources: ['kubernetes/kubernetes v1.35.4 pkg/kubelet/kuberuntime/kuberuntime_manager.go'],
  },
  {
    cause: 'job-failed',
    category: 'user',
    expression: /Job has reached the specified backoff limit|Job was active longer than specified deadline/,
    rule: 'A Job, often a hook, has failed as often as it may.',
    advice: 'Read the logs of its pods, and sync again when the reason is mended.',
    sources: ['kubernetes/kubernetes v1.35.4 pkg/controller/job/job_controller.go'],
  },
];
