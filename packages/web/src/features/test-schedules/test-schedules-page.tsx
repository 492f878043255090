import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconDownload, IconPlus } from '../../icons/index.ts'
import type { GroupRow } from '@caretaker/contract/groups.ts'
import { testNames } from '@caretaker/rules/lighting/tests.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { usePresence } from '../../api/actor.ts'
import { usePageTitle } from '../../api/page-title.ts'
import { saveCsv } from '../../api/save-csv.ts'
import { scheduleTabs } from '../../inspection/schedule-tabs.ts'
import { InspectionSheetButton } from '../../inspection/sheet-button.tsx'
import { dateTimeText } from '../../ui/age.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { SuccessMessage, useSuccessMessage } from '../../ui/success-message.tsx'
import { useZone } from '../../ui/zone.tsx'
import { DeleteGroup } from './delete-group.tsx'
import { GroupDialog } from './group-dialog.lazy.tsx'
import type { GroupsData } from './groups-data.tsx'
import { localTimeText } from './groups-data.tsx'
import { GroupsTab } from './groups-tab.tsx'
import { PlanTab } from './plan-tab.lazy.tsx'
import { groupsQuery } from './queries.ts'
import classes from './test-schedules.module.css'

export const GroupsPage = () => <TestSchedules tab="groups" />
export const PlanPage = () => <TestSchedules tab="plan" />

/** The open dialog. */
type OpenDialog =
  | { what: 'add' }
  | { what: 'update'; group: GroupRow; start?: string }
  | { what: 'delete'; group: GroupRow }

/** Groups of emergency lights: results, scheduled tests and conflicts. */
function TestSchedules({ tab }: { tab: 'groups' | 'plan' }) {
  const { actor, client } = usePresence()
  const zone = useZone()
  usePageTitle('Test Schedules', client.displayName)
  const { data, isError, refetch } = useQuery(groupsQuery(actor.tenant))
  const [doing, setDoing] = useState<OpenDialog>()
  const [done, showDone] = useSuccessMessage()
  const mayEdit = can(actor, 'edit test schedules')
  const update = (groupName: string, start?: string) => {
    const group = data?.groups.find((one) => one.groupName === groupName)
    if (group) setDoing({ what: 'update', group, ...(start !== undefined && { start }) })
  }
  const props: GroupsData = {
    data,
    isError,
    retry: () => void refetch(),
    mayEdit,
    add: () => setDoing({ what: 'add' }),
    update,
    remove: (group) => setDoing({ what: 'delete', group }),
  }
  const close = () => setDoing(undefined)
  return (
    <div className={classes.page}>
      <PageHead
        title="Test Schedules"
        chips={
          data && (
            <span className={classes.count}>
              {data.groups.length === 1 ? '1 group' : `${data.groups.length} groups`}
            </span>
          )
        }
        actions={
          <>
            <SuccessMessage text={done} />
            <Button
              variant="default"
              leftSection={<IconDownload size={16} aria-hidden />}
              disabled={!data}
              onClick={() => saveCsv(reportOf(data!.groups, zone), { zone, name: 'groups.csv' })}
            >
              Download report
            </Button>
            <InspectionSheetButton />
            {mayEdit && (
              <Button leftSection={<IconPlus size={16} aria-hidden />} disabled={!data} onClick={props.add}>
                Add Group
              </Button>
            )}
          </>
        }
        tabs={scheduleTabs(actor)}
        activeTab={tab}
      />
      {tab === 'groups' ? <GroupsTab {...props} /> : <PlanTab {...props} />}
      {doing?.what === 'delete' && <DeleteGroup group={doing.group} onDone={showDone} onClose={close} />}
      {(doing?.what === 'add' || doing?.what === 'update') && data && (
        <GroupDialog
          key={doing.what === 'update' ? doing.group.groupId : ''}
          groups={data.groups}
          hour={data.hour}
          {...(doing.what === 'update' && { group: doing.group })}
          {...(doing.what === 'update' && doing.start !== undefined && { start: doing.start })}
          onDone={() => showDone('Request Successful')}
          onClose={close}
        />
      )}
    </div>
  )
}

/** The report of groups: headings, and one row per group. */
const reportOf = (groups: readonly GroupRow[], zone: string) => [
  ['Group', 'Building', 'Lights', 'Passed', 'Warning', 'Failed', 'T180 start', 'Next test', 'Date of next test'],
  ...groups.map(({ next: [next], ...group }) => [
    ...[group.groupName, group.buildingName, group.lights, group.passed, group.warning, group.failed],
    localTimeText(group.t180StartDate),
    next ? testNames[next.testType] : '',
    next ? dateTimeText(next.testDate, zone) : '',
  ]),
]
