export { renderReport, writeReport } from './page';
export type { ReportFiles, ReportHeading } from './page';
