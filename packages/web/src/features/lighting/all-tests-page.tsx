import { useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { Button, SegmentedControl, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { IconClipboardList } from '../../icons/index.ts'
import { getTenantBuildings } from '@caretaker/contract/calls/buildings.ts'
import type { EmergencyTest } from '@caretaker/contract/lighting.ts'
import type { DayRange } from '@caretaker/rules/calendar/days.ts'
import type { TestResult, TestType } from '@caretaker/rules/lighting/tests.ts'
import { mostTestsCounted, testResults, testTypes, tooManyTestsToSort } from '@caretaker/rules/lighting/tests.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { usePresence } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { usePageTitle } from '../../api/page-title.ts'
import { scheduleTabs } from '../../inspection/schedule-tabs.ts'
import { InspectionSheetButton } from '../../inspection/sheet-button.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { DateRange } from '../../ui/date-range.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { genericPageSize } from '../../ui/generic-table.tsx'
import { AppLink } from '../../ui/link.tsx'
import { ListPage } from '../../ui/list-page.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Empty } from '../../ui/states.tsx'
import type { Column } from '../../ui/table/props.ts'
import { turned } from '../../ui/table-place.ts'
import { TimeOf } from '../../ui/zone.tsx'
import { Reason, Result, resultWord } from './test-result.tsx'
import type { ShownTest } from './tests/actions.tsx'
import { actionsFor, TestDialog } from './tests/actions.tsx'
import { Changes } from './tests/changes.tsx'
import { groupsQuery } from './queries.ts'
import type { OpenedTest } from './tests/chart-dialog.tsx'
import { ChartDialog } from './tests/chart-dialog.tsx'
import { DownloadTests, DownloadYear } from './tests/download-tests.tsx'
import { LightMonthsTable, YearStep } from './tests/light-months.tsx'
import { Overview } from './tests/overview.tsx'
import type { TestsSearch } from './tests/tests-place.ts'
import { isNarrowed, orderOf, validTestsSearch } from './tests/tests-place.ts'
import { useTests } from './tests/use-tests.ts'
import classes from './tests/tests.module.css'

/** The separate page, for developers in the sidebar. */
export const AllTestsPage = () => <AllTests />
/** The same as a tab of the test schedules, for everyone who may see lights. */
export const ResultsTabPage = () => <AllTests isTab />

/** The tests of all visible emergency lights; the server sorts, filters and counts them. */
function AllTests({ isTab = false }: { isTab?: boolean }) {
  const { actor, client } = usePresence()
  usePageTitle(isTab ? 'Test Schedules: Results' : 'Test Results', client.displayName)
  const search = validTestsSearch(useSearch({ strict: false }))
  const navigate = useNavigate()
  const show = (next: TestsSearch, typing = false) =>
    void navigate({ to: '.', search: validTestsSearch({ ...next }), replace: typing, resetScroll: false })
  const narrow = (part: TestsSearch, typing = false) => show({ ...search, ...part, page: 1 }, typing)
  const isMonths = search.view === 'months'
  const tests = useTests(actor.tenant, search, !isMonths)
  const { total, isFormer, areTooMany } = tests
  const [opened, setOpened] = useState<OpenedTest>()
  const [shown, setShown] = useState<ShownTest>()
  return (
    <Frame
      isTab={isTab}
      count={!isMonths && total !== undefined && total <= mostTestsCounted ? total : undefined}
      actions={
        <>
          {isMonths ? (
            <DownloadYear search={search} />
          ) : (
            <DownloadTests search={search} disabled={isFormer || (!total && !areTooMany)} />
          )}
          <SegmentedControl
            aria-label="View"
            data={[
              { value: 'table', label: 'Table' },
              { value: 'months', label: 'Months' },
            ]}
            value={search.view ?? 'table'}
            onChange={(view) => narrow({ view } as TestsSearch)}
          />
        </>
      }
    >
      <FilterBar
        label="Test results"
        placeholder="Light or building"
        value={search.filter ?? ''}
        onChange={(text) => narrow({ filter: text }, true)}
        isSet={isNarrowed(search)}
        onClear={() => show(cleared(search))}
        actions={isMonths && <YearStep search={search} show={narrow} />}
      >
        {can(actor, 'see buildings') && (
          <Building value={search.building} onChange={(building) => narrow({ building } as TestsSearch)} />
        )}
        {can(actor, 'see test schedules') && (
          <Group value={search.group} onChange={(group) => narrow({ group } as TestsSearch)} />
        )}
        <Select
          className={classes.select}
          aria-label="Test"
          placeholder="Any test"
          clearable
          clearButtonProps={{ 'aria-label': 'Any test' }}
          data={[...testTypes]}
          value={search.type ?? null}
          onChange={(type) => narrow({ type: (type ?? undefined) as TestType })}
        />
        <Select
          className={classes.select}
          aria-label="Result"
          placeholder="Any result"
          clearable
          clearButtonProps={{ 'aria-label': 'Any result' }}
          data={testResults.map((value) => ({ value, label: resultWord(value) }))}
          value={search.result ?? null}
          onChange={(result) => narrow({ result: (result ?? undefined) as TestResult })}
        />
        {!isMonths && (
          <>
            <DateRange
              label="Days"
              value={{ from: search.from, to: search.to } as DayRange}
              onChange={({ from, to }) => narrow({ from, to } as TestsSearch)}
            />
            <ChangesFilter search={search} narrow={narrow} />
          </>
        )}
      </FilterBar>
      {!isMonths && <Overview search={search} narrow={narrow} />}
      {isMonths ? (
        <LightMonthsTable search={search} show={show} onOpen={setOpened} />
      ) : (
        <TestsTable search={search} tests={tests} show={show} setShown={setShown} />
      )}
      {isMonths && opened && <ChartDialog test={opened} onClose={() => setOpened(undefined)} />}
      {shown && <TestDialog shown={shown} onClose={() => setShown(undefined)} />}
    </Frame>
  )
}

interface FrameProps {
  isTab: boolean
  count: number | undefined
  actions: ReactNode
  children: ReactNode
}

/** The header of the page, or of the test schedules with their tabs. */
function Frame({ isTab, count, actions, children }: FrameProps) {
  const { actor } = usePresence()
  if (!isTab)
    return (
      <ListPage title="Test Results" count={count} actions={actions}>
        {children}
      </ListPage>
    )
  return (
    <div className={classes.tabPage}>
      <PageHead
        title="Test Schedules"
        chips={
          count !== undefined && (
            <span className={classes.count}>
              {count.toLocaleString('en-GB')} {count === 1 ? 'result' : 'results'}
            </span>
          )
        }
        actions={
          <>
            {actions}
            <InspectionSheetButton />
          </>
        }
        tabs={scheduleTabs(actor)}
        activeTab="results"
      />
      {children}
    </div>
  )
}

/** The filter for disputed results (which an administrator decides) and corrected ones. */
function ChangesFilter({ search, narrow }: { search: TestsSearch; narrow: (part: TestsSearch) => void }) {
  return (
    <SegmentedControl
      aria-label="Changes"
      data={[
        { value: 'all', label: 'All' },
        { value: 'disputed', label: 'Disputed' },
        { value: 'corrected', label: 'Corrected' },
      ]}
      value={search.decision ?? 'all'}
      onChange={(value) => narrow({ decision: value === 'all' ? undefined : value } as TestsSearch)}
    />
  )
}

interface TestsTableProps {
  search: TestsSearch
  tests: ReturnType<typeof useTests>
  show: (search: TestsSearch) => void
  setShown: (shown: ShownTest) => void
}

/** A page of the tests. */
function TestsTable({ search, tests, show, setShown }: TestsTableProps) {
  const { actor } = usePresence()
  const { rows, total, areTooMany, status, refetch } = tests
  const page = search.page ?? 1
  const reached = total === undefined ? undefined : Math.min(total, mostTestsCounted)
  const columns = useMemo(() => columnsFor(actor.tenant, actionsFor(actor, setShown)), [actor, setShown])
  const { sort, descending } = orderOf(search.sort)
  return (
    <DataTable
      label="Test results"
      columns={columns}
      rows={rows}
      rowId={(row) => row.eventId}
      onOpen={(test) => setShown({ test, as: 'chart' })}
      sorts={[{ id: sort, descending }]}
      onSort={(id) => {
        const next = turned({ id: sort, descending }, id)
        show({ ...search, sort: `${next.descending ? '-' : ''}${next.id}`, page: 1 })
      }}
      status={areTooMany ? 'ready' : status}
      onRetry={refetch}
      empty={
        <Empty
          icon={<IconClipboardList size={18} aria-hidden />}
          {...(areTooMany
            ? {
                text: 'Too many tests for this order',
                hint: tooManyTestsToSort,
                action: (
                  <Button variant="default" onClick={() => show({ ...search, sort: '-testDate', page: 1 })}>
                    Sort by test date
                  </Button>
                ),
              }
            : { text: 'No test results', ...(isNarrowed(search) && { hint: 'No tests match the filter.' }) })}
        />
      }
      phoneRow={phoneRow}
      rowsOfPage={genericPageSize}
      footer={
        reached !== undefined &&
        reached > 0 && (
          <Pager
            ends
            page={page}
            pageSize={genericPageSize}
            total={reached}
            onPage={(next) => show({ ...search, page: next })}
            note={
              total! > mostTestsCounted && (
                <span>
                  There are more than {mostTestsCounted.toLocaleString('en-GB')}: narrow the filter to see others.
                </span>
              )
            }
          />
        )
      }
    />
  )
}

/** The search without filters: sort order and shown year stay. */
const cleared = ({ sort, view, year }: TestsSearch): TestsSearch => ({
  ...(sort && { sort }),
  ...(view && { view }),
  ...(year && { year }),
})

function Group({ value, onChange }: { value: string | undefined; onChange: (id: string | undefined) => void }) {
  const { actor } = usePresence()
  const { data } = useQuery(groupsQuery(actor.tenant))
  return (
    <Select
      className={classes.select}
      aria-label="Group"
      placeholder="Any group"
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'Any group' }}
      data={(data?.groups ?? []).map(({ groupId, groupName }) => ({ value: groupId, label: groupName }))}
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
    />
  )
}

function Building({ value, onChange }: { value: string | undefined; onChange: (id: string | undefined) => void }) {
  const { actor } = usePresence()
  const { data } = useQuery({
    queryKey: [actor.tenant, 'buildings'],
    queryFn: ({ signal }) => call(getTenantBuildings, { body: { tenant: actor.tenant } }, { signal }),
  })
  return (
    <Select
      className={classes.select}
      aria-label="Building"
      placeholder="Any building"
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'Any building' }}
      data={(data ?? []).map(({ building, name }) => ({ value: building, label: name }))}
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
    />
  )
}

function columnsFor(tenant: string, actions: (test: EmergencyTest) => ReactNode): Column<EmergencyTest>[] {
  return [
    {
      id: 'testDate',
      header: 'Test date',
      width: 160,
      sortable: true,
      link: true,
      cell: ({ testDate }) => <TimeOf at={testDate} />,
    },
    {
      id: 'deviceName',
      header: 'Light',
      width: 190,
      sortable: true,
      cell: ({ deviceName, deviceId }) => (
        <AppLink className={classes.link} href={pathTo(tenant, 'EmergencyLights', deviceId, 'testResults')}>
          {deviceName}
        </AppLink>
      ),
    },
    { id: 'buildingName', header: 'Building', width: 150, sortable: true, cell: ({ buildingName }) => buildingName },
    { id: 'testType', header: 'Test', width: 80, sortable: true, cell: ({ testType }) => testType },
    { id: 'result', header: 'Result', width: 130, sortable: true, cell: (test) => <Result test={test} brief /> },
    {
      id: 'reason',
      header: 'Reason',
      width: 230,
      sortable: true,
      cell: (test) => (
        <span className={classes.reason}>
          <Reason test={test} />
        </span>
      ),
    },
    { id: 'changes', header: 'Changes', width: 220, cell: (test) => <Changes test={test} /> },
    { id: 'actions', header: '', width: 120, align: 'end', cell: actions },
  ]
}

function phoneRow(test: EmergencyTest) {
  return (
    <span className={classes.phone}>
      <b>
        {test.testType} <Result test={test} />
      </b>
      <span>
        {test.deviceName}, <TimeOf at={test.testDate} />
      </span>
    </span>
  )
}
