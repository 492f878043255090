import { Button, Menu, SegmentedControl, Select } from '@mantine/core'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { IconDownload } from '../../icons/index.ts'
import type { Breach } from '@caretaker/contract/awaabs-law.ts'
import { exportBreachRegister, getBreachRegister } from '@caretaker/contract/calls/awaabs-law.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import type { BreachState } from '@caretaker/rules/properties/breach-states.ts'
import { breachStateWords } from '@caretaker/rules/properties/awaabs-breaches.ts'
import { breachStates } from '@caretaker/rules/properties/breach-states.ts'
import { lateForTable, latenessOf } from '@caretaker/rules/properties/awaabs-deadlines.ts'
import { whenText } from '@caretaker/rules/properties/awaabs-history.ts'
import { deadlineName } from '@caretaker/rules/properties/awaabs-words.ts'
import { monthsAfter } from '@caretaker/rules/compliance/due.ts'
import { useActor } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { textsOf } from '../../api/errors.ts'
import { saveFile } from '../../api/save-file.ts'
import { useClock, useToday } from '../../ui/age-view.tsx'
import { Card } from '../../ui/card.tsx'
import { DateRange } from '../../ui/date-range.tsx'
import { AppLink } from '../../ui/link.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { showError } from '../../ui/toasts.tsx'
import { useZone } from '../../ui/zone.tsx'
import { deadlineOf } from '../../api/law-deadline.ts'
import type { RegisterSearch } from './register-search.ts'
import classes from './breach-register.module.css'

type Query = RegisterSearch & { from: Day; to: Day }

const registerQuery = (tenant: string, { from, to, patch }: Query) =>
  queryOptions({
    queryKey: [tenant, 'breach register', from, to, patch],
    meta: { shows: { subjects: ['property'] } },
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call(getBreachRegister, { params: { tenant }, query: { from, to, ...(patch && { patch }) } }, { signal }),
  })

const monthName = (month: string) =>
  new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone: 'UTC' }).format(new Date(`${month}-01T00:00:00Z`))

/** Missed deadlines of Awaab's Law, for the board. */
export function BreachRegister() {
  const { tenant } = useActor()
  const today = useToday()
  const search: RegisterSearch = useSearch({ strict: false })
  const navigate = useNavigate()
  const from = search.from ?? monthsAfter(`${today.slice(0, 7)}-01`, -5)
  const to = search.to ?? today
  const wanted = { ...search, from, to }
  const { data, isError, refetch } = useQuery(registerQuery(tenant, wanted))
  const go = (more: RegisterSearch) =>
    void navigate({ to: '.', search: ((now: object) => ({ ...now, ...more })) as never, replace: true })
  const download = async (format: 'xlsx' | 'csv') => {
    const { patch, state } = search
    const query = { from, to, format, ...(patch && { patch }), ...(state && { state }) }
    try {
      saveFile(await call(exportBreachRegister, { params: { tenant }, query }))
    } catch (error) {
      showError(textsOf(error).join(' '))
    }
  }
  if (isError && !data) return <Failed text="Failed to load" onRetry={() => void refetch()} />
  if (!data) return <Loading />
  const shown = data.rows.filter(({ state }) => !search.state || state === search.state)
  const most = Math.max(1, ...data.months.map(({ missed }) => missed))
  return (
    <div className={classes.register}>
      <div className={classes.bar}>
        <DateRange
          label="Period"
          value={{ from, to }}
          onChange={(range) => go({ ...(range.from && { from: range.from }), ...(range.to && { to: range.to }) })}
        />
        <Select
          aria-label="Patch"
          placeholder="All patches"
          clearable
          data={data.choices.map(({ id, name }) => ({ value: id, label: name }))}
          value={search.patch ?? null}
          onChange={(patch) => go({ patch: patch ?? undefined } as RegisterSearch)}
        />
        <Menu>
          <Menu.Target>
            <Button leftSection={<IconDownload size={16} aria-hidden />}>Export</Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => void download('xlsx')}>Excel workbook</Menu.Item>
            <Menu.Item onClick={() => void download('csv')}>CSV</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </div>
      <div className={classes.summaries}>
        <Card title="Awaab’s Law deadlines">
          <ul className={classes.figures}>
            <li>
              <b>{data.met}</b> met
              {data.due > 0 && `, ${Math.floor((100 * data.met) / data.due)} % of ${data.due}`}
            </li>
            <li data-failed={data.missed > 0 || undefined}>
              <b>{data.missed}</b> missed, in {data.cases} {data.cases === 1 ? 'case' : 'cases'}
            </li>
            <li data-failed={data.notDone > 0 || undefined}>
              <b>{data.notDone}</b>
              <button type="button" className={classes.plain} onClick={() => go({ state: 'not done' })}>
                missed and still not done
              </button>
            </li>
          </ul>
        </Card>
        <Card title="Missed deadlines by month">
          <ol className={classes.months} aria-label="Missed deadlines by month">
            {data.months.map(({ month, missed }) => (
              <li key={month} data-zero={missed === 0 || undefined}>
                <span>{missed}</span>
                <i style={{ height: `${(missed / most) * 7}rem` }} aria-hidden />
                <span>{monthName(month)}</span>
              </li>
            ))}
          </ol>
        </Card>
        <Card title="Missed by patch">
          <table className={classes.table}>
            <thead>
              <tr>
                <th scope="col">Patch</th>
                {data.months.map(({ month }) => (
                  <th key={month} scope="col">
                    {monthName(month)}
                  </th>
                ))}
                <th scope="col">Total</th>
              </tr>
            </thead>
            <tbody>
              {data.patches.map((patch) => (
                <tr key={patch.id ?? ''}>
                  <th scope="row">{patch.name}</th>
                  {patch.months.map((count, at) => (
                    <td key={data.months[at]!.month} data-zero={count === 0 || undefined}>
                      {count}
                    </td>
                  ))}
                  <td>{patch.missed}</td>
                </tr>
              ))}
              <tr>
                <th scope="row">All patches</th>
                {data.months.map(({ month, missed }) => (
                  <td key={month} data-zero={missed === 0 || undefined}>
                    {missed}
                  </td>
                ))}
                <td>{data.missed}</td>
              </tr>
            </tbody>
          </table>
        </Card>
      </div>
      <div className={classes.bar}>
        <SegmentedControl
          aria-label="State"
          value={search.state ?? 'all'}
          data={[
            { value: 'all', label: `All ${data.rows.length}` },
            ...breachStates
              .map((state) => ({ state, count: data.rows.filter((row) => row.state === state).length }))
              .filter(({ state, count }) => count > 0 || state === search.state)
              .map(({ state, count }) => ({ value: state, label: `${breachStateWords[state]} ${count}` })),
          ]}
          onChange={(state) => go({ state: state === 'all' ? undefined : (state as BreachState) } as RegisterSearch)}
        />
        <span className={classes.quiet}>
          Each deadline counts in the month in which it was due. Days are working days in England.
        </span>
      </div>
      {shown.length ? <Rows rows={shown} tenant={tenant} /> : <Empty text="No missed deadlines in this period" />}
    </div>
  )
}

/** One row per missed deadline; rows of the same case are grouped and name the property once. */
function Rows({ rows, tenant }: { rows: readonly Breach[]; tenant: string }) {
  const zone = useZone()
  const now = useClock()
  const cases = [...Map.groupBy(rows, ({ caseId }) => caseId).values()]
  return (
    <table className={classes.table} aria-label="Missed deadlines">
      <thead>
        <tr>
          {['Property', 'Address', 'Case', 'Patch', 'Hazard', 'Step', 'Due', 'Done', 'Late'].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {cases.flatMap((some) =>
          some.map((row, at) => {
            const deadline = deadlineOf(row)
            const late = latenessOf(deadline, now, zone)
            const hazard = [row.hazard, row.isEmergencyCase && 'emergency'].filter(Boolean).join(', ')
            return (
              <tr key={`${row.caseId} ${row.step} ${row.due.on} ${row.due.at}`}>
                {at === 0 && (
                  <>
                    <th scope="rowgroup" rowSpan={some.length}>
                      <AppLink href={pathTo(tenant, 'Properties', row.propertyId, 'info')}>
                        {row.propertyReference || 'No reference'}
                      </AppLink>
                    </th>
                    <td rowSpan={some.length}>{row.address}</td>
                    <td rowSpan={some.length}>{row.number}</td>
                    <td rowSpan={some.length}>{row.patch?.name}</td>
                    <td rowSpan={some.length}>{hazard}</td>
                  </>
                )}
                <td>{deadlineName(deadline)}</td>
                <td>
                  {whenText(deadline.due, zone)}
                  {deadline.lawDue && <span className={classes.quiet}> By law {whenText(deadline.lawDue, zone)}</span>}
                </td>
                <td>
                  {deadline.done ? (
                    whenText(deadline.done, zone)
                  ) : (
                    <b data-state={row.state}>{breachStateWords[row.state]}</b>
                  )}
                  {(deadline.moved?.reason ?? row.closeReason) && (
                    <span className={classes.quiet}> {deadline.moved?.reason ?? row.closeReason}</span>
                  )}
                </td>
                <td>{late && `${lateForTable(late)}${deadline.done || deadline.ended ? '' : ' so far'}`}</td>
              </tr>
            )
          }),
        )}
      </tbody>
      <tfoot>
        <tr>
          <td colSpan={9}>
            {rows.length} missed {rows.length === 1 ? 'deadline' : 'deadlines'} in {cases.length}{' '}
            {cases.length === 1 ? 'case' : 'cases'}
          </td>
        </tr>
      </tfoot>
    </table>
  )
}
