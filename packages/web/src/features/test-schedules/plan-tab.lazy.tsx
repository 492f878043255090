import { lazy, Suspense } from 'react'
import { Loading } from '../../ui/states.tsx'
import type { GroupsData } from './groups-data.tsx'

const Lazy = lazy(async () => ({ default: (await import('./plan/plan-tab.tsx')).PlanTab }))

export const PlanTab = (props: GroupsData) => (
  <Suspense fallback={<Loading label="Loading the plan" />}>
    <Lazy {...props} />
  </Suspense>
)
