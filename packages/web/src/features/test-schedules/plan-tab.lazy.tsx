import { lazily } from '../../ui/lazily.tsx'
import { Loading } from '../../ui/states.tsx'
import type { GroupsData } from './groups-data.tsx'

const Lazy = lazily(async () => (await import('./plan/plan-tab.tsx')).PlanTab)

export const PlanTab = (props: GroupsData) => <Lazy {...props} fallback={<Loading label="Loading the plan" />} />
