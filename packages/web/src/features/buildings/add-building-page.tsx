import { useState } from 'react'
import { Button, Select, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { IconMapPin, IconRefresh, IconSearch } from '../../icons/index.ts'
import { CallError } from '@caretaker/contract/error-texts.ts'
import { addBuilding } from '@caretaker/contract/calls/buildings.ts'
import {
  buildingKey,
  buildingNameFault,
  longestBuildingName,
  newFloorShape,
} from '@caretaker/rules/buildings/building.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { usePresence } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { textsOf } from '../../api/errors.ts'
import { usePageTitle } from '../../api/page-title.ts'
import { Card } from '../../ui/card.tsx'
import { Problems } from '../../ui/dialog.tsx'
import { LeaveQuestion } from '../../ui/leave-question.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import type { Edits, Position } from './edits.ts'
import { chosenFloor, floorsOf, nameFault, noEdits } from './edits.ts'
import type { EditedFloor } from './floors-card.tsx'
import { FloorsCard } from './floors-card.tsx'
import { degreesText, PositionDialog } from './position-dialog.tsx'
import { PositionMap } from './position-map.tsx'
import { renewBuildings, summaryQuery } from './queries.ts'
import { useFault } from './use-fault.ts'
import { usePostcode } from './use-postcode.ts'
import classes from './buildings.module.css'

const firstFloor: Edits = { ...noEdits, added: [{ key: 'first', name: '0' }], defaultKey: 'first' }

/** A new building: name, postcode (which sets the position) and floors. */
export function AddBuildingPage() {
  const { actor, client } = usePresence()
  const { tenant } = actor
  usePageTitle('Add new building', client.displayName)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { data: others } = useQuery(summaryQuery(tenant))
  const keys = (others ?? []).map(({ building }) => buildingKey(building.name))
  const [name, setName] = useState('')
  const [nameShown, showName, hideName] = useFault((text: string) => buildingNameFault(text, keys))
  const postcode = usePostcode(tenant)
  const [moved, setMoved] = useState<Position>()
  const [positioning, setPositioning] = useState(false)
  const [edits, setEdits] = useState(firstFloor)
  const [editing, setEditing] = useState<EditedFloor>()
  const [saving, setSaving] = useState(false)
  const [problems, setProblems] = useState<string[]>([])
  const floors = floorsOf([], edits)
  const chosen = chosenFloor(floors, edits.defaultKey)
  const position = moved ?? postcode.place
  const isApproximate = !moved && postcode.place?.isApproximate === true
  const isUnsaved = name !== '' || postcode.text !== '' || edits !== firstFloor || editing !== undefined

  const save = async () => {
    setProblems([])
    const wrongName = showName(name)
    const wrongFloor = editing && nameFault(floors, editing.key, editing.name)
    const place = await postcode.resolve()
    if (wrongName || wrongFloor || !place) return
    const { lat, lng } = moved ?? place
    const named = floors.map((floor) => (floor.key === editing?.key ? { ...floor, name: editing.name } : floor))
    setSaving(true)
    try {
      const building = {
        ...{ name, building: buildingKey(name), lat, lng, address: postcode.text },
        floors: named.map((floor) => ({ name: floor.name, lat, lng, ...newFloorShape })),
        defaultFloor: named.find((floor) => floor.key === chosen?.key)?.name ?? null,
      }
      const answer = (await call(addBuilding, { body: { tenant, building } })) as { buildingId?: string }
      await renewBuildings(queries, tenant)
      void navigate({
        href: pathTo(tenant, 'Buildings', answer.buildingId ?? building.building),
        replace: true,
        ignoreBlocker: true,
      })
    } catch (error) {
      const ofName =
        error instanceof CallError &&
        error.complaint.validationErrors.find(({ field }) => field === 'building.name')?.message
      if (ofName) showName(name, ofName)
      else setProblems(textsOf(error))
    } finally {
      setSaving(false)
    }
  }

  return (
    <div className={classes.page}>
      <PageHead back={{ href: pathTo(tenant, 'Buildings'), label: 'Buildings' }} title="Add new building" />
      <div className={classes.columns}>
        <div className={classes.main}>
          <Card title="Building">
            <div className={classes.fields}>
              <TextInput
                label="Building name"
                value={name}
                maxLength={longestBuildingName}
                error={nameShown}
                onChange={(event) => {
                  setName(event.currentTarget.value)
                  hideName(event.currentTarget.value)
                }}
              />
              <div className={classes.postcode}>
                <TextInput
                  label="Post code"
                  value={postcode.text}
                  maxLength={20}
                  autoComplete="off"
                  error={postcode.fault}
                  onChange={(event) => {
                    setMoved(undefined)
                    postcode.type(event.currentTarget.value)
                  }}
                  onKeyDown={(event) => event.key === 'Enter' && void postcode.check()}
                />
                <Button
                  variant="default"
                  leftSection={
                    postcode.isDown ? <IconRefresh size={16} aria-hidden /> : <IconSearch size={16} aria-hidden />
                  }
                  loading={postcode.isChecking}
                  onClick={() => void postcode.check()}
                >
                  {postcode.isDown ? 'Retry' : 'Check Post Code'}
                </Button>
              </div>
              <Select
                label="Default floor"
                data={floors.map((floor) => ({ value: floor.key, label: floor.name }))}
                value={chosen?.key ?? null}
                allowDeselect={false}
                onChange={(key) => setEdits((now) => ({ ...now, defaultKey: key ?? undefined }))}
              />
            </div>
          </Card>
          <FloorsCard
            stored={[]}
            floors={floors}
            counts={[]}
            edits={edits}
            onEdits={setEdits}
            defaultKey={chosen?.key}
            editing={editing}
            onEditing={setEditing}
          />
          <Problems texts={problems} />
          <div className={classes.buttons}>
            <Button
              variant="default"
              onClick={() => void navigate({ href: pathTo(tenant, 'Buildings'), ignoreBlocker: true })}
            >
              Back
            </Button>
            <Button loading={saving} onClick={() => void save()}>
              Save Building
            </Button>
          </div>
        </div>
        <Card title="Position" className={classes.side}>
          {position ? (
            <>
              <PositionMap position={position} isApproximate={isApproximate} />
              <p className={classes.place}>
                {degreesText(position.lat)}, {degreesText(position.lng)}
              </p>
              <p className={classes.hint}>
                {moved
                  ? `From ${postcode.text.toUpperCase()}, then moved by hand`
                  : postcode.place?.isApproximate
                    ? `The middle of ${postcode.text.trim().toUpperCase().slice(0, -3).trim()}, a few miles across: position the building to place it exactly.`
                    : `From ${postcode.text.toUpperCase()}`}
              </p>
              {!moved && postcode.place?.credit && <p className={classes.source}>{postcode.place.credit}</p>}
            </>
          ) : (
            <div className={classes.nowhere}>
              <IconMapPin size={22} stroke={1.7} aria-hidden />
              Check the postcode first: it sets the position on the map.
            </div>
          )}
          <Button
            variant="default"
            fullWidth
            leftSection={<IconMapPin size={16} aria-hidden />}
            disabled={!position}
            onClick={() => setPositioning(true)}
          >
            Position Building
          </Button>
        </Card>
      </div>
      <LeaveQuestion isUnsaved={isUnsaved} />
      {positioning && position && (
        <PositionDialog
          title="Position Building"
          position={position}
          isApproximate={isApproximate}
          postcode={postcode.text}
          onPosition={(to) => {
            setMoved(to)
            setPositioning(false)
          }}
          onClose={() => setPositioning(false)}
        />
      )}
    </div>
  )
}
