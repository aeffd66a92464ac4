/** Which projects are there, and what stands in the open one? */
import { defineStore } from 'pinia';
import { shallowRef } from 'vue';
import type { ChosenBackbone, Project, RecentProject, Result, TrainingPlan } from '../../main/contract/index.ts';
import { IDLE, type Loadable } from './loadable.ts';

export const useProjectsStore = defineStore('projects', () => ({
  recent: shallowRef<Loadable<readonly RecentProject[]>>(IDLE),
  open: shallowRef<Loadable<Project>>(IDLE),
  plan: shallowRef<Loadable<TrainingPlan>>(IDLE),
  /** A model brought on the first page: the next new project trains it. */
  broughtBackbone: shallowRef<ChosenBackbone | null>(null),
  /** A shared file that was let go over the window: the first page looks at it. */
  droppedShare: shallowRef<File | null>(null),
  result: shallowRef<Loadable<Result>>(IDLE),
}));
