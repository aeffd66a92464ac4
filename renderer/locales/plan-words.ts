/** What would a training do? Its plan in plain sentences: what is trained with what, how long, how much memory, and what follows. */
import type { ChosenBackbone, TrainingPlan } from '../../main/contract/index.ts';
import { formatBytes, formatCount, formatDuration, formatList } from './format.ts';
import { languageName } from './language-names.ts';
import { t } from './translate.ts';

const MINUTE_MS = 60_000;
const BYTES_PER_MEGABYTE = 1_000_000;

/** The texts that a plan uses, as a list in words. */
export function textsOfPlan(plan: TrainingPlan): string {
  const pairs = plan.pairs.filter((one) => one.pairs > 0).map((one) => t('train.pairs', { n: formatCount(one.pairs), source: languageName(one.source), target: languageName(one.target) }, one.pairs));
  const questions = plan.usesStarter ? [t('train.starter')] : plan.questions === 0 ? [] : [t('texts.count-questions', { n: formatCount(plan.questions) }, plan.questions)];
  const sentences = plan.sentences === 0 ? [] : [t('texts.count-texts', { n: formatCount(plan.sentences) }, plan.sentences)];
  return formatList([...questions, ...pairs, ...sentences]);
}

/** The last part of a folder's path, which is what people call a model. */
export function folderName(folder: string): string {
  return folder.split(/[\\/]/).filter((part) => part !== '').at(-1) ?? folder;
}

/** The plan in two or three sentences. */
export function planSentences(options: { readonly plan: TrainingPlan; readonly chosen: TrainingPlan['presets'][number]; readonly backbone: ChosenBackbone | null }): readonly string[] {
  const { plan, chosen, backbone } = options;
  const what = textsOfPlan(plan);
  const first = what === '' || (plan.encoder === 'backbone' && backbone === null) ? [] : [plan.encoder === 'backbone' ? t('train.plan-backbone', { what, model: folderName(backbone?.folder ?? '') }) : t(plan.encoder === 'static' ? 'train.plan-static' : 'train.plan-transformer', { what })];
  if (plan.encoder === 'backbone' && backbone === null) return first;
  const cost = t('train.plan-cost', {
    preset: t(`train.preset-${chosen.preset}`),
    time: chosen.estimatedMinutes === null ? t('train.plan-time-unknown') : formatDuration(chosen.estimatedMinutes * MINUTE_MS),
    memory: formatBytes(chosen.estimatedMemoryMB * BYTES_PER_MEGABYTE),
    available: formatBytes(plan.availableMemoryMB * BYTES_PER_MEGABYTE),
    disk: formatBytes(chosen.diskMB * BYTES_PER_MEGABYTE),
  });
  return [...first, `${cost} ${t('train.plan-after')}`];
}
