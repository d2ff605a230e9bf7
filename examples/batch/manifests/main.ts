import { App, YamlOutputType } from 'cdk8s';
import { EverywhereChart } from './everywhere-chart';
import { OnceChart } from './once-chart';

// A folder for each ApplicationSet: commit them as batch/everywhere and batch/once.
const app = new App({ yamlOutputType: YamlOutputType.FOLDER_PER_CHART_FILE_PER_RESOURCE });
new EverywhereChart(app, 'everywhere');
new OnceChart(app, 'once');
app.synth();
