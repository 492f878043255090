import { useQuery } from '@tanstack/react-query'
import type { Emered } from '@caretaker/contract/devices.ts'
import type { ScheduleEntry } from '@caretaker/contract/groups.ts'
import { seesTab } from '@caretaker/rules/devices/tabs.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { targetOfDevice } from '../../actions/target.ts'
import { useActor } from '../../api/actor.ts'
import { Card } from '../../ui/card.tsx'
import { InlineField, InlineFields } from '../../ui/forms/inline-edit.tsx'
import { AppLink } from '../../ui/link.tsx'
import { DateOf } from '../../ui/zone.tsx'
import { deviceScheduleQuery } from './queries.ts'
import classes from './lighting.module.css'

/** The group that a light is tested with, and what comes next; for who sees its schedule. */
export function GroupCard({ device }: { device: Emered }) {
  const actor = useActor()
  const { tenant } = actor
  const isShown = seesTab(actor, targetOfDevice(device), 'testSchedules')
  const { data } = useQuery({ ...deviceScheduleQuery(tenant, device.deviceId), enabled: isShown })
  if (!isShown || !data) return undefined
  const { group, next } = data
  const [first] = next
  const long = next.find(({ testType }) => testType === 'T180')
  return (
    <Card
      title="Group"
      actions={
        <AppLink className={classes.more} href={pathTo(tenant, 'EmergencyLights', device.deviceId, 'testSchedules')}>
          Test schedule
        </AppLink>
      }
    >
      <InlineFields>
        <InlineField label="Group">
          {group && (
            <AppLink
              href={`${pathTo(tenant, 'EmergencyLightSchedules')}?filter=${encodeURIComponent(group.groupName)}`}
            >
              {group.groupName}
            </AppLink>
          )}
        </InlineField>
        <InlineField label="Next test">{first && <Next run={first} withType />}</InlineField>
        <InlineField label="Next T180">{long && <Next run={long} />}</InlineField>
      </InlineFields>
    </Card>
  )
}

function Next({ run: { testType, testDate }, withType = false }: { run: ScheduleEntry; withType?: boolean }) {
  return (
    <>
      {withType && `${testType}, `}
      <DateOf at={testDate} />
    </>
  )
}
