import { App, Chart } from 'cdk8s';
import * as bare from './bare';
import * as constructs from './constructs';

/** How the objects are written: through the library's constructs, or by hand. */
export type Way = 'constructs' | 'bare';

const teams = { constructs, bare };
const objectsOfTeam = 5;

/** An app with that many objects in one chart. */
export function makeApp(way: Way, objects: number): App {
  const app = new App();
  const chart = new Chart(app, 'teams');
  for (let team = 0; team < objects / objectsOfTeam; team += 1) {
    teams[way].addTeam(chart, `team-${team}`);
  }
  return app;
}
