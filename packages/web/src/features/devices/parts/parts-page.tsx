import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { PartsRow } from '@caretaker/contract/parts.ts'
import { mostLightsToRepair } from '@caretaker/contract/calls/parts.ts'
import { zonedText } from '@caretaker/rules/calendar/days.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import type { LightPart } from '@caretaker/rules/conditions/parts.ts'
import { lightPartWords, modelNotEntered, partsForTheVan } from '@caretaker/rules/conditions/parts.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { builtInViews, presetViewId } from '@caretaker/rules/views/view.ts'
import { usePresence } from '../../../api/actor.ts'
import { showCallError } from '../../../api/errors.ts'
import { listingAddress } from '../../../api/listing-address.ts'
import { usePageTitle } from '../../../api/page-title.ts'
import { saveFile } from '../../../api/save-file.ts'
import {
  IconAlertTriangleFilled,
  IconBattery,
  IconBulb,
  IconCircleX,
  IconFileSpreadsheet,
  IconPlug,
  IconPrinter,
  IconQuestionMark,
} from '../../../icons/index.ts'
import { Narrowing } from '../../../lists/list-head.tsx'
import type { ListSource } from '../../../lists/list-source.ts'
import { useListState } from '../../../lists/list-state.ts'
import { AppLink } from '../../../ui/link.tsx'
import { PageHead } from '../../../ui/page-head.tsx'
import { Empty, Failed, LoadingLines } from '../../../ui/states.tsx'
import { useZone } from '../../../ui/zone.tsx'
import { deviceList } from '../list/device-list.tsx'
import { partsFile, partsQuery } from './queries.ts'
import classes from './parts.module.css'

const source = deviceList('EmergencyLights') as ListSource
const views = builtInViews(listings.EmergencyLights)
const view = views.find(({ viewId }) => viewId === presetViewId(listings.EmergencyLights, 'failed'))!

const count = (number: number, one: string, many = `${one}s`) =>
  `${number.toLocaleString('en-GB')} ${number === 1 ? one : many}`

/** The parts that failed lights need, per building and for the van. */
export function PartsPage() {
  const { actor, client } = usePresence()
  const { tenant } = actor
  usePageTitle('Parts list', client.displayName)
  const state = useListState({ source, area: 'EmergencyLights', view, views })
  const asked = { filters: state.conditions, search: state.search }
  const { data, isError, refetch } = useQuery(partsQuery(tenant, asked))
  const [busy, setBusy] = useState(false)
  const zone = useZone()
  const rows = data?.rows ?? []
  const parts = rows.reduce((sum, { quantity }) => sum + quantity, 0)
  const buildings = new Set(rows.map(({ building, buildingId }) => buildingId ?? building)).size

  async function save(): Promise<void> {
    setBusy(true)
    try {
      saveFile(await partsFile(tenant, asked))
    } catch (error) {
      showCallError(error)
    }
    setBusy(false)
  }

  return (
    <div className={classes.page}>
      <PageHead
        back={{
          href: listingAddress(tenant, 'EmergencyLights', { filters: state.conditions }),
          label: 'Emergency Lights',
        }}
        title="Parts list"
        place={
          data && (
            <span role="status">
              {count(parts, 'part')} for {count(data.lights, 'failed light')} in {count(buildings, 'building')}
            </span>
          )
        }
        actions={
          <>
            <Button
              variant="default"
              leftSection={<IconPrinter size={16} aria-hidden />}
              disabled={parts === 0}
              onClick={() => window.print()}
            >
              Print
            </Button>
            <Button
              leftSection={<IconFileSpreadsheet size={16} aria-hidden />}
              disabled={parts === 0}
              loading={busy}
              onClick={() => void save()}
            >
              Export to Excel
            </Button>
          </>
        }
      />
      <div className={classes.narrow}>
        <Narrowing state={state} />
        <span className={classes.note}>Lights whose repair is not yet proven are not included</span>
      </div>
      <div className={classes.columns}>
        <div className={classes.list}>
          {isError && !data ? (
            <Failed onRetry={() => void refetch()} />
          ) : !data ? (
            <LoadingLines />
          ) : rows.length === 0 ? (
            <Empty text="No parts needed" hint="No failed lights match these filters." />
          ) : (
            <PartsTable tenant={tenant} rows={rows} />
          )}
        </div>
        {rows.length > 0 && (
          <aside className={classes.aside}>
            <Van rows={rows} parts={parts} />
            <WithoutModel tenant={tenant} rows={rows} />
          </aside>
        )}
      </div>
      {data && (
        <footer className={classes.foot}>
          <span>
            {count(rows.length, 'row')}, {count(parts, 'part')}
            {data.hasMore &&
              `. Only the first ${mostLightsToRepair.toLocaleString('en-GB')} lights are listed: add filters to see the others.`}
          </span>
          <span>As at {zonedText(Date.parse(data.at), zone)}</span>
        </footer>
      )}
    </div>
  )
}

const icons: Record<LightPart, typeof IconBulb> = {
  Battery: IconBattery,
  Inverter: IconPlug,
  Lamp: IconBulb,
  Device: IconCircleX,
  Unknown: IconQuestionMark,
}

function Part({ part, many }: { part: LightPart; many?: boolean }) {
  const Icon = icons[part]
  return (
    <span className={classes.part}>
      <Icon size={16} stroke={1.7} aria-hidden />
      {lightPartWords[part][many ? 'many' : 'one']}
    </span>
  )
}

/** The name of a building appears once, before all its parts. */
function PartsTable({ tenant, rows }: { tenant: string; rows: readonly PartsRow[] }) {
  const buildings = [
    ...Map.groupBy(rows, ({ buildingId, building }) => JSON.stringify([buildingId, building])).values(),
  ]
  return (
    <table className={classes.table} aria-label="Parts by building">
      <thead>
        <tr>
          <th scope="col">Building</th>
          <th scope="col">Part</th>
          <th scope="col">Model</th>
          <th scope="col" className={classes.number}>
            Quantity
          </th>
          <th scope="col">Lights</th>
        </tr>
      </thead>
      {buildings.map((some) => (
        <tbody key={`${some[0]!.buildingId} ${some[0]!.building}`}>
          {some.map((row, at) => (
            <tr key={`${row.part} ${row.model}`}>
              {at === 0 && (
                <th scope="rowgroup" rowSpan={some.length} className={classes.building}>
                  {row.building ?? 'No building'}
                </th>
              )}
              <td data-label="Part">
                <Part part={row.part} />
              </td>
              <td data-label="Model">
                {row.model ?? (
                  <span className={classes.missing}>
                    <IconAlertTriangleFilled size={14} aria-hidden /> {modelNotEntered}
                  </span>
                )}
              </td>
              <td data-label="Quantity" className={classes.number}>
                <b>{row.quantity.toLocaleString('en-GB')}</b>
              </td>
              <td data-label="Lights">
                {row.lights.map(({ deviceId, name, reason }, index) => (
                  <span key={deviceId}>
                    {index > 0 && ', '}
                    <AppLink className={classes.light} href={pathTo(tenant, 'EmergencyLights', deviceId)}>
                      {name}
                    </AppLink>{' '}
                    <span className={classes.reason}>{reason}</span>
                  </span>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  )
}

function Van({ rows, parts }: { rows: readonly PartsRow[]; parts: number }) {
  return (
    <section className={classes.card} aria-label="For the van">
      <h2>
        For the van <b>{parts.toLocaleString('en-GB')}</b>
      </h2>
      {partsForTheVan(rows).map(({ part, quantity, models }) => (
        <dl key={part}>
          <div className={classes.total}>
            <dt>
              <Part part={part} many />
            </dt>
            <dd>{quantity.toLocaleString('en-GB')}</dd>
          </div>
          {models.map(({ model, quantity }) => (
            <div key={model}>
              <dt>{model ?? modelNotEntered}</dt>
              <dd>{quantity.toLocaleString('en-GB')}</dd>
            </div>
          ))}
        </dl>
      ))}
    </section>
  )
}

/** Lights with a part without a model, which is entered on their pages. */
function WithoutModel({ tenant, rows }: { tenant: string; rows: readonly PartsRow[] }) {
  const missing = rows.flatMap(({ model, part, lights }) =>
    model === null ? lights.map((light) => ({ part, light })) : [],
  )
  if (!missing.length) return undefined
  const parts = [...new Set(missing.map(({ part }) => part))]
  const what =
    parts.length === 1 && parts[0] !== 'Unknown' ? ` ${lightPartWords[parts[0]!].one.toLowerCase()} model` : ' model'
  const lights = [...new Map(missing.map(({ light }) => [light.deviceId, light])).values()]
  const [first] = lights as [(typeof lights)[number]]
  return (
    <section className={classes.warning}>
      <IconAlertTriangleFilled size={18} aria-hidden />
      <div>
        <h2>
          {count(lights.length, 'light')} {lights.length === 1 ? 'has' : 'have'} no{what}
        </h2>
        <p>
          Enter it on the Info tab of {[first.name, first.building].filter(Boolean).join(', ')}
          {lights.length > 1 && ` and of ${count(lights.length - 1, 'other light')}`}.
        </p>
        <AppLink className={classes.light} href={pathTo(tenant, 'EmergencyLights', first.deviceId)}>
          Open light
        </AppLink>
      </div>
    </section>
  )
}
