import { App, Chart } from 'cdk8s';
import { ApplicationSet, AppProject, Repository } from 'cluster-canary/argocd';
import { PodDefaultsChart } from './pod-defaults-chart';
import { appsProject, podinfo, podinfoRepository } from './podinfo';

const app = new App();

// For the clusters of the fleet.
new PodDefaultsChart(app, 'pod-defaults');

// For the cluster that runs Argo CD.
const hub = new Chart(app, 'hub');
new Repository(hub, 'repository', { name: 'podinfo', url: podinfoRepository.repoURL });
new AppProject(hub, 'project', appsProject(podinfoRepository));
new ApplicationSet(hub, 'applications', podinfo(podinfoRepository));

app.synth();
