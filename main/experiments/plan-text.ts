/** How is the plan of an experiment shown? A Markdown table of rows, what is missing, and what the numbers stand on. */
import type { ExperimentPlan } from './plan-experiment.ts';

const MILLION = 1e6;
const GIGABYTE = 2 ** 30;
const GIGA = 1e9;

export function planText({ experiment, rows, missing, missingFiles, hours, graphicsCardHours, memoryBytes, operationsPerSecond }: ExperimentPlan): string {
  const time = (value: number): string => (value === 0 ? '–' : value < 1 ? `${Math.max(1, Math.round(value * 60))} min` : value < 100 ? `${value.toFixed(1)} h` : `${Math.round(value / 24).toLocaleString('en')} days`);
  return [
    `${experiment}: what it would take`,
    '',
    '| row | parameters | memory | steps | trainings | all, this processor | all, one graphics card | of that, the documents |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...rows.map(({ label, parameters, memoryBytes: bytes, steps, trainings, hours: own, graphicsCardHours: card, trainingOperations, encodingOperations }) => `| ${label} | ${parameters === null ? '–' : `${(parameters / MILLION).toFixed(0)} M`} | ${bytes === null ? '–' : `${(bytes / GIGABYTE).toFixed(1)} GB`} | ${steps === null ? '–' : steps.toLocaleString('en')} | ${trainings} | ${time(own)} | ${time(card)} | ${encodingOperations === 0 ? '–' : time((card * encodingOperations) / (trainingOperations + encodingOperations))} |`),
    `| all | | ${(memoryBytes / GIGABYTE).toFixed(1)} GB | | | ${time(hours)} | ${time(graphicsCardHours)} | |`,
    '',
    `This processor: products at ${(operationsPerSecond / GIGA).toFixed(0)} GFLOP/s, of which training reaches 45 %. One graphics card: 37 TFLOP/s in training, a third of what a V100 can do in half precision. Encoding of the documents that are searched is counted where the experiment says how many there are.`,
    ...(missing.length + missingFiles.length === 0 ? ['', 'Everything it needs is there.'] : ['', 'To be brought:', ...missing.map(({ path, what, from }) => `- ${what}: ${path}, from ${from}`), ...missingFiles.map((path) => `- ${path}, which a task names`)]),
  ].join('\n');
}
