import { App, YamlOutputType } from 'cdk8s';
import { HubChart } from './hub-chart';
import { imagesOf } from './images';
import { PodinfoChart } from './podinfo-chart';

const app = new App({ yamlOutputType: YamlOutputType.FOLDER_PER_CHART_FILE_PER_RESOURCE });

// For the clusters of the fleet, by Argo CD.
new PodinfoChart(app, 'podinfo', {
  images: imagesOf(process.env),
  host: 'www.example.com',
  gateway: { name: 'public', namespace: 'gateways' },
});

// For the cluster that runs Argo CD.
new HubChart(app, 'hub', {
  repoURL: 'https://git.example.com/apps.git',
  path: 'podinfo',
  fleet: { name: 'apps', slots: ['blue', 'green'] },
  first: 'green',
});

app.synth();
