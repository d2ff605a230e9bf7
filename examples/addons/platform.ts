import { addons } from 'cluster-canary';

/**
 * What every cluster gets before applications. Another word in `rest`, or at one of them, moves it to another delivery, and
 * uninstalls nothing.
 */
export function platform(rest: addons.Delivery): addons.Addon[] {
  return [
    // What others can't come without lives and dies with the cluster.
    addons.certManager(),
    // Its IAM role is made by Pulumi, whoever brings the chart.
    addons.awsLoadBalancerController({ manages: 'ingresses', deliveredBy: rest }),
    addons.argoRollouts({ deliveredBy: rest }),
    new addons.HelmAddon({
      name: 'metrics-server',
      chart: 'metrics-server',
      repository: 'https://kubernetes-sigs.github.io/metrics-server',
      version: '3.13.0',
      namespace: 'kube-system',
      deliveredBy: rest,
    }),
  ];
}
