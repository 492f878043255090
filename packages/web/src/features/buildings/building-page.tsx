import { useState } from 'react'
import { Button, Select } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import {
  IconBuilding,
  IconList,
  IconMapPin,
  IconPackage,
  IconStack2,
  IconMap2,
  IconWifiOff,
} from '../../icons/index.ts'
import { CallError } from '@caretaker/contract/error-texts.ts'
import type { BuildingSummary, Floor } from '@caretaker/contract/buildings.ts'
import type { getBuilding } from '@caretaker/contract/calls/buildings.ts'
import { updateBuilding } from '@caretaker/contract/calls/buildings.ts'
import type { Answer } from '@caretaker/contract/route.ts'
import type { RouteOf } from '@caretaker/contract/routes.ts'
import type { Plan } from '@caretaker/rules/buildings/geometry.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { splitAddress } from '@caretaker/rules/postcodes/postcode.ts'
import { displayGroupWords } from '@caretaker/rules/devices/status.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { usePresence } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { textsOf } from '../../api/errors.ts'
import { usePageTitle } from '../../api/page-title.ts'
import { partsAddress } from '../../api/parts-address.ts'
import { InspectionSheetButton } from '../../inspection/sheet-button.tsx'
import { Card } from '../../ui/card.tsx'
import { Problems } from '../../ui/dialog.tsx'
import { LeaveQuestion } from '../../ui/leave-question.tsx'
import { AppLink, useGoTo } from '../../ui/link.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Failed, Loading, LoadingLines, NotFound } from '../../ui/states.tsx'
import { StatusIcon } from '../../ui/status-icon.tsx'
import type { Edits, Position } from './edits.ts'
import { chosenFloor, floorsOf, nameFault, noEdits, unsavedText, withName } from './edits.ts'
import type { EditedFloor } from './floors-card.tsx'
import { FloorsCard } from './floors-card.tsx'
import type { CountedState } from './listing-link.ts'
import { listingOfState } from './listing-link.ts'
import { degreesText, PositionDialog } from './position-dialog.tsx'
import { PlaceByPostcode } from './place-by-postcode.tsx'
import { PositionMap } from './position-map.tsx'
import { buildingQuery, renewBuildings, summaryQuery } from './queries.ts'
import { ShareBar, sharesOf } from './share-bar.tsx'
import classes from './buildings.module.css'

type BuildingInFull = NonNullable<Answer<RouteOf<typeof getBuilding>>['data']>

/** One building, by its id or name. */
export function BuildingPage() {
  const { actor, client } = usePresence()
  const { tenant } = actor
  const { building: named = '' } = useParams({ strict: false }) as { building?: string }
  const { data, error, refetch } = useQuery(buildingQuery(tenant, named))
  usePageTitle(data?.name ?? 'Building', client.displayName)
  const back = { href: pathTo(tenant, 'Buildings'), label: 'Buildings' }
  // Also a building that was deleted while open.
  if (error instanceof CallError && error.status === 404) return <NotFound back={back} hint="Building not found." />
  if (data) return <Building key={data.building} building={data} back={back} />
  if (error) return <Failed text="Failed to retrieve building data" onRetry={() => void refetch()} />
  return (
    <Loading label="Loading the building">
      <LoadingLines lines={8} />
    </Loading>
  )
}

function Building({ building, back }: { building: BuildingInFull; back: { href: string; label: string } }) {
  const { actor } = usePresence()
  const { tenant } = actor
  const queries = useQueryClient()
  const navigate = useNavigate()
  const goTo = useGoTo()
  const mayEdit = can(actor, 'edit buildings')
  const { data: summaries } = useQuery(summaryQuery(tenant))
  const summary = summaries?.find((row) => row.building.building === building.building)
  const [edits, setEdits] = useState<Edits>(noEdits)
  const [editing, setEditing] = useState<EditedFloor>()
  const [moved, setMoved] = useState<Position>()
  const [positioning, setPositioning] = useState(false)
  const [saving, setSaving] = useState(false)
  const [problems, setProblems] = useState<string[]>([])
  const [seen, setSeen] = useState<number>()
  const { floors: stored } = building
  const floors = floorsOf(stored, edits)
  const chosen = chosenFloor(floors, edits.defaultKey ?? building.defaultFloor)
  const isNewDefault = edits.defaultKey !== undefined && edits.defaultKey !== building.defaultFloor
  const unsaved = unsavedText(edits, { isMoved: moved !== undefined, isNewDefault })
  const isTyped = editing !== undefined && editing.name !== floors.find(({ key }) => key === editing.key)?.name
  const position =
    moved ?? (building.lat !== null && building.lng !== null ? { lat: building.lat, lng: building.lng } : undefined)
  /** Edits are saved against the version of the building at the first change. */
  const change = (next: Edits) => {
    setSeen((version) => version ?? building.version)
    setEdits(next)
  }

  const place = (to: Position) => {
    setSeen((version) => version ?? building.version)
    setMoved(to)
  }

  const save = async () => {
    setProblems([])
    if (editing && nameFault(floors, editing.key, editing.name)) return
    const kept = editing ? withName(stored, edits, editing.key, editing.name.trim()) : edits
    const named = floorsOf(stored, kept)
    setSaving(true)
    try {
      await call(updateBuilding, {
        body: {
          tenant,
          building: {
            building: building.building,
            ...moved,
            floors: named.map(({ name, stored: floor }) => ({ name, ...(floor && { floor: floor.floor }) })),
            defaultFloor: named.find(({ key }) => key === chosen?.key)?.name ?? null,
            version: seen ?? building.version,
          },
        },
      })
      await renewBuildings(queries, tenant)
      void navigate({ href: pathTo(tenant, 'Buildings'), ignoreBlocker: true })
    } catch (error) {
      setProblems(textsOf(error))
    } finally {
      setSaving(false)
    }
  }

  const listing = summary && listingOfState(actor, summary, 'all')
  const opening = stored.find((floor) => floor.floor === chosen?.key && floor.hasFloorPlan)
  return (
    <div className={classes.page}>
      <PageHead
        back={back}
        icon={<IconBuilding size={22} stroke={1.7} />}
        title={building.name}
        chips={summary && <Chips summary={summary} />}
        place={
          <>
            {building.address && (
              <span>
                <IconMapPin size={16} stroke={1.7} aria-hidden /> {building.address}
              </span>
            )}
            <span>
              <IconStack2 size={16} stroke={1.7} aria-hidden /> {stored.length}{' '}
              {stored.length === 1 ? 'floor' : 'floors'}
            </span>
          </>
        }
        actions={
          <>
            {can(actor, 'see maps') && (
              <Button
                variant="default"
                leftSection={<IconMap2 size={16} aria-hidden />}
                onClick={() => goTo(`${pathTo(tenant, 'FloorPlan')}?building=${building.building}`)}
              >
                Floor plan
              </Button>
            )}
            {can(actor, 'see lighting') && (
              <Button
                variant="default"
                leftSection={<IconPackage size={16} aria-hidden />}
                onClick={() =>
                  goTo(
                    partsAddress(tenant, {
                      filters: [{ fieldId: 'building', filterOp: 'equals', value: building.name }],
                    }),
                  )
                }
              >
                Parts list
              </Button>
            )}
            <InspectionSheetButton building={{ id: building.building, name: building.name }} />
            {listing && (
              <Button variant="default" leftSection={<IconList size={16} aria-hidden />} onClick={() => goTo(listing)}>
                Open in the listing
              </Button>
            )}
          </>
        }
      />
      <div className={classes.columns}>
        <div className={classes.main}>
          <Card title="Building">
            <dl className={classes.facts}>
              <dt>Building name</dt>
              <dd>{building.name}</dd>
              {building.address && (
                <>
                  <dt>Address</dt>
                  <dd>{building.address}</dd>
                </>
              )}
              <dt id="default-floor">Default floor</dt>
              <dd>
                {mayEdit ? (
                  <>
                    <Select
                      aria-labelledby="default-floor"
                      data={floors.map(({ key, name }) => ({ value: key, label: name }))}
                      value={chosen?.key ?? null}
                      allowDeselect={false}
                      onChange={(key) => change({ ...edits, defaultKey: key ?? undefined })}
                    />
                    <span className={classes.hint}>The floor that is shown first on the floor plan</span>
                  </>
                ) : (
                  chosen?.name
                )}
              </dd>
            </dl>
          </Card>
          <FloorsCard
            building={building.building}
            stored={stored}
            floors={floors}
            counts={building.counts}
            edits={edits}
            onEdits={mayEdit ? change : undefined}
            defaultKey={chosen?.key}
            editing={editing}
            onEditing={setEditing}
          />
          <Problems texts={problems} />
          <div className={classes.buttons}>
            <span className={classes.unsaved} role="status">
              {unsaved && `${unsaved}, not saved`}
            </span>
            <Button variant="default" onClick={() => void navigate({ href: back.href, ignoreBlocker: true })}>
              Back
            </Button>
            {mayEdit && (
              <Button loading={saving} onClick={() => void save()}>
                Save Building
              </Button>
            )}
          </div>
        </div>
        <div className={classes.side}>
          <Card title="Position">
            {position ? (
              <>
                <PositionMap position={position} plan={opening && planOf(opening)} />
                <p className={classes.place}>
                  {degreesText(position.lat)}, {degreesText(position.lng)}
                </p>
              </>
            ) : (
              <>
                <p className={classes.hint}>This building has no position yet.</p>
                {mayEdit && <PlaceByPostcode address={building.address ?? ''} onPlace={place} />}
              </>
            )}
            {mayEdit && (
              <Button
                variant="default"
                fullWidth
                leftSection={<IconMapPin size={16} aria-hidden />}
                onClick={() => setPositioning(true)}
              >
                Position Building
              </Button>
            )}
          </Card>
          {summary && <DevicesCard summary={summary} />}
        </div>
      </div>
      <LeaveQuestion isUnsaved={unsaved !== '' || isTyped} />
      {positioning && (
        <PositionDialog
          title="Position Building"
          position={position}
          postcode={splitAddress(building.address ?? '').postcode}
          onPosition={(to) => {
            place(to)
            setPositioning(false)
          }}
          onClose={() => setPositioning(false)}
        />
      )}
    </div>
  )
}

/** The position of a floor plan on the map; undefined if it has none. */
const planOf = ({ lat, lng, width, height, rotation }: Floor): Plan | undefined =>
  lat === null || lng === null ? undefined : { lat, lng, width, height, rotation }

function Chips({ summary }: { summary: BuildingSummary }) {
  const { failedDeviceCount: failed, offlineDeviceCount: offline, deviceCount } = summary
  return (
    <>
      {failed > 0 && (
        <span className={classes.chip}>
          <StatusIcon tone="failed" size={14} />
          {failed.toLocaleString('en-GB')} failed
        </span>
      )}
      {offline > 0 && (
        <span className={classes.figure}>
          <IconWifiOff size={16} stroke={1.9} aria-hidden className={classes.offline} />
          Not connected
          <span className={classes.quiet}>
            {offline.toLocaleString('en-GB')} of {deviceCount.toLocaleString('en-GB')}
          </span>
        </span>
      )}
    </>
  )
}

const counted: { state: CountedState; label: string; tone?: 'failed' | 'warning' }[] = [
  { state: 'warning', label: 'Warning', tone: 'warning' },
  { state: 'failed', label: 'Failed', tone: 'failed' },
  { state: 'offline', label: 'Not connected' },
]

function DevicesCard({ summary }: { summary: BuildingSummary }) {
  const { actor } = usePresence()
  const counts = {
    all: summary.deviceCount,
    failed: summary.failedDeviceCount,
    warning: summary.warningDeviceCount,
    offline: summary.offlineDeviceCount,
  }
  return (
    <Card title="Devices" total={counts.all}>
      <ShareBar {...sharesOf(summary)} />
      <ul className={classes.counted}>
        {counted.map(({ state, label, tone }) => {
          const href = listingOfState(actor, summary, state)
          const figure = counts[state].toLocaleString('en-GB')
          return (
            <li key={state}>
              {tone ? <StatusIcon tone={tone} size={16} /> : <IconWifiOff size={16} stroke={1.9} aria-hidden />}
              <span>{label}</span>
              {href && counts[state] > 0 ? (
                <AppLink href={href} aria-label={`${figure}: ${label}`}>
                  {figure}
                </AppLink>
              ) : (
                <b data-zero={counts[state] === 0 || undefined}>{figure}</b>
              )}
            </li>
          )
        })}
        {summary.notInstalledDeviceCount > 0 && (
          <li>
            <StatusIcon tone="not-installed" size={16} />
            <span>{displayGroupWords.NotInstalled}</span>
            <b>{summary.notInstalledDeviceCount.toLocaleString('en-GB')}</b>
          </li>
        )}
      </ul>
    </Card>
  )
}
