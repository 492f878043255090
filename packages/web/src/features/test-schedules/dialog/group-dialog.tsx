import '@mantine/dates/styles.layer.css'
import type { BaseSyntheticEvent } from 'react'
import { useMemo, useRef, useState } from 'react'
import { Autocomplete, Button, Loader, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useWatch } from 'react-hook-form'
import { IconAlertTriangleFilled, IconLock } from '../../../icons/index.ts'
import type { Building, Floor } from '@caretaker/contract/buildings.ts'
import type { DarkNight, GroupDetails, GroupRow, StartCheck } from '@caretaker/contract/groups.ts'
import { addEmeredGroup, updateEmeredGroup } from '@caretaker/contract/calls/groups.ts'
import { buildingFault, groupNameFault, groupNameLength } from '@caretaker/rules/lighting/groups.ts'
import type { AskedType } from '@caretaker/rules/lighting/plan.ts'
import { askedTypes, startNote } from '@caretaker/rules/lighting/plan.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { CancelButton, Dialog, DraftNote, Problems } from '../../../ui/dialog.tsx'
import { useDraft } from '../../../ui/draft.ts'
import { TextField, textOf, useField } from '../../../ui/forms/fields.tsx'
import { useSubmission, useValidForm } from '../../../ui/forms/use-form.ts'
import { Failed } from '../../../ui/states.tsx'
import { z } from '../../../ui/zod.ts'
import { buildingsQuery, conflictsQuery, groupQuery, groupsQuery, lightsQuery } from '../queries.ts'
import { RunningTest } from '../running-test.tsx'
import { chosenLights, summary } from './choice.ts'
import { Collisions } from './collisions.tsx'
import { DeviceList } from './device-list.tsx'
import { FloorMap } from './floor-map.tsx'
import { NextRuns } from './next-runs.tsx'
import { Nights } from './nights.tsx'
import { StartCards } from './start-cards.tsx'
import { StartQuestion } from './start-question.tsx'
import classes from './group-dialog.module.css'

export interface GroupDialogProps {
  groups: readonly GroupRow[]
  /** The current hour in the time zone of the client. */
  hour: string
  /** The edited group; undefined for a new one. */
  group?: GroupRow
  /** A suggested start. */
  start?: string
  onDone: () => void
  onClose: () => void
}

/** Creates or edits a group: name and start at the top, consequences below, lights by list and map. */
export function GroupDialog(props: GroupDialogProps) {
  const { tenant } = useActor()
  const {
    data: full,
    isError,
    refetch,
  } = useQuery({
    ...groupQuery(tenant, props.group?.groupName ?? ''),
    enabled: props.group !== undefined,
    // The data loaded at opening is the basis of the edit.
    staleTime: Infinity,
    gcTime: 0,
    refetchOnMount: 'always',
  })
  const buildings = useQuery(buildingsQuery(tenant))
  if ((props.group && !full) || !buildings.data)
    return (
      <Dialog title={props.group ? 'Update Group' : 'Add Group'} size="116rem" onClose={props.onClose}>
        {isError || buildings.isError ? (
          <Failed onRetry={() => void Promise.all([refetch(), buildings.refetch()])} />
        ) : (
          <Loader size="sm" />
        )}
      </Dialog>
    )
  const seen = { deviceIds: full?.deviceIds ?? [], version: full?.version, running: full?.running ?? [] }
  return <GroupForm {...props} seen={seen} buildings={buildings.data} />
}

interface FormProps extends GroupDialogProps {
  seen: { deviceIds: string[]; version: number | undefined; running: GroupDetails['running'] }
  buildings: readonly Building[]
}

function GroupForm({ groups, hour, group, start, seen: now, buildings, onDone, onClose }: FormProps) {
  const { tenant } = useActor()
  const client = useQueryClient()
  const [seen] = useState(now)
  // Another version of the group, or another suggested start, has its own draft.
  const name = `group ${group ? `${group.groupId} ${seen.version}` : 'new'} ${start ?? ''}`
  const form = useGroupForm({ groups, group, start: start ?? group?.t180StartDate ?? hour, buildings, draft: name })
  const [typed, t180StartDate] = useWatch({ control: form.control, name: ['building', 't180StartDate'] })
  const place = buildings.find(({ name }) => name === typed)
  const building = place?.building ?? ''
  const kept = useDraft<{ alsoTypes: AskedType[]; deviceIds: string[] }>(`${name} lights`, {
    alsoTypes: askedTypes.filter((type) => group?.alsoTypes.includes(type) ?? false),
    deviceIds: seen.deviceIds,
  })
  const { alsoTypes } = kept.values
  const deviceIds = useMemo(() => [...new Set(kept.values.deviceIds)].sort(), [kept.values.deviceIds])
  const chosen = useMemo<ReadonlySet<string>>(() => new Set(deviceIds), [deviceIds])
  const lights = useQuery(lightsQuery(tenant, building))
  const draft = { groupName: group?.groupName ?? '', building, t180StartDate, alsoTypes, deviceIds }
  const { data: preview } = useQuery(conflictsQuery(tenant, draft))
  const conflicts = useMemo(() => (t180StartDate ? (preview?.conflicts ?? []) : []), [preview, t180StartDate])
  const shown = useMemo(
    () => chosenLights({ lights: lights.data ?? [], groupName: group?.groupName, chosen, conflicts }),
    [lights.data, group?.groupName, chosen, conflicts],
  )
  const [stopTest, setStop] = useState(false)
  const confirmation = useRef<{ reason: string; agreed: true }>(undefined)
  const [asking, setAsking] = useState<StartCheck>()
  const isChanged =
    stopTest ||
    t180StartDate !== group?.t180StartDate ||
    alsoTypes.join() !== askedTypes.filter((type) => group?.alsoTypes.includes(type)).join() ||
    deviceIds.join() !== seen.deviceIds.toSorted().join()

  const submission = useSubmission(
    form,
    (values) => {
      const body = {
        ...{ tenant, groupName: values.groupName, t180StartDate: values.t180StartDate, deviceIds, alsoTypes },
        ...(confirmation.current && { confirmation: confirmation.current }),
      }
      const { version } = seen
      return [
        group
          ? call(updateEmeredGroup, {
              body: { ...body, ...(version !== undefined && { version }), ...(stopTest && { stopTest }) },
            })
          : call(addEmeredGroup, { body: { ...body, building } }),
      ]
    },
    () => {
      kept.clear()
      void client.invalidateQueries({ queryKey: groupsQuery(tenant).queryKey })
      void client.invalidateQueries({ queryKey: [tenant, 'emereds'] })
      onDone()
      onClose()
    },
  )
  const sending = submission.status === 'loading'
  /** Asks first if the server requires a confirmation of the start; otherwise the server would refuse it. */
  const save = async (event: BaseSyntheticEvent) => {
    event.preventDefault()
    confirmation.current = undefined
    const answer = await client.fetchQuery({ ...conflictsQuery(tenant, draft), staleTime: 0 }).catch(() => undefined)
    if (answer?.question) setAsking(answer)
    else await submission.onSubmit()
  }
  const discard = () => {
    kept.clear()
    form.reset()
  }
  const setStart = (start: string) => form.setValue('t180StartDate', start, { shouldDirty: true, shouldValidate: true })
  const turn = (ids: readonly string[], isChosen: boolean) => {
    const next = new Set(chosen)
    for (const id of ids)
      if (isChosen) next.add(id)
      else next.delete(id)
    kept.change({ deviceIds: [...next] })
  }
  return (
    <Dialog
      title={group ? 'Update Group' : 'Add Group'}
      size="116rem"
      onClose={onClose}
      busy={sending}
      keepsDraft
      form={{ noValidate: true, onSubmit: (event) => void save(event) }}
      actions={
        <>
          <Foot lights={shown} night={preview?.night ?? null} />
          {(kept.isKept || form.formState.isDirty) && <DraftNote onDiscard={discard} />}
          <CancelButton disabled={sending} />
          <Button
            type="submit"
            disabled={!form.formState.isValid || (group && !isChanged) || Boolean(preview?.fault)}
            loading={sending}
          >
            Save
          </Button>
        </>
      }
    >
      <div className={classes.fields}>
        {group ? (
          <>
            <Locked label="Group Name" value={group.groupName} />
            <Locked label="Building" value={group.buildingName} />
          </>
        ) : (
          <>
            <TextField form={form} name="groupName" label="Group Name" maxLength={groupNameLength} first />
            <BuildingField form={form} names={buildings.map(({ name }) => name)} />
          </>
        )}
      </div>
      <StartCards
        form={form}
        hour={hour}
        freeNight={building ? preview?.freeNight : undefined}
        fault={preview?.fault ?? undefined}
        moved={preview?.moved ?? undefined}
        note={startNote(t180StartDate, group?.t180StartDate === t180StartDate ? undefined : hour)}
      />
      {group && <RunningTest running={seen.running} isStopped={stopTest} onStop={setStop} />}
      {building && (
        <Nights start={t180StartDate} lights={deviceIds.length} nights={preview?.nights ?? []} onStart={setStart} />
      )}
      <NextRuns
        runs={preview?.runs ?? []}
        t180={preview?.t180 ?? null}
        collisions={shown.filter(({ conflict }) => conflict).length}
        isDark={Boolean(preview?.night)}
        alsoTypes={alsoTypes}
        onAlso={(types) => kept.change({ alsoTypes: types })}
      />
      <Problems texts={submission.problems} />
      <Lights
        key={building}
        ownName={group?.groupName ?? ''}
        building={building}
        shown={shown}
        floors={place?.floors ?? []}
        state={lights}
        preview={preview}
        onTurn={turn}
        onStart={setStart}
      />
      {asking?.question && (
        <StartQuestion
          question={asking.question}
          freeNight={asking.freeNight}
          onInstead={(start) => {
            setAsking(undefined)
            setStart(start)
          }}
          onConfirm={(given) => {
            setAsking(undefined)
            confirmation.current = given
            void submission.onSubmit()
          }}
          onClose={() => setAsking(undefined)}
        />
      )}
    </Dialog>
  )
}

interface GroupFormOf {
  groups: readonly GroupRow[]
  group: GroupRow | undefined
  start: string
  buildings: readonly Building[]
  draft: string
}

/** The form fields with the rules of the specification; errors appear one second after the last keystroke. */
function useGroupForm({ groups, group, start, buildings, draft }: GroupFormOf) {
  const checked = (faultOf: (value: string) => string | undefined) =>
    z.string().superRefine((value, context) => {
      const fault = faultOf(value)
      if (fault) context.addIssue(fault)
    })
  const others = groups.filter(({ groupId }) => groupId !== group?.groupId).map(({ groupName }) => groupName)
  const names = buildings.map(({ name }) => name)
  return useValidForm({
    schema: z.object({
      groupName: checked((name) => groupNameFault(name, others)),
      building: checked((building) => buildingFault(building, names)),
      t180StartDate: checked((value) => (value ? undefined : 'T180 start must be a date and a time')),
    }),
    required: { groupName: 'Group Name is required', building: 'Building is required' },
    defaultValues: { groupName: group?.groupName ?? '', building: group?.buildingName ?? '', t180StartDate: start },
    draft: { name: draft },
  })
}

/** A read-only value: name and building of an existing group. */
function Locked({ label, value }: { label: string; value: string }) {
  return (
    <TextInput
      label={label}
      value={value}
      readOnly
      rightSection={<IconLock size={16} aria-hidden />}
      className={classes.locked}
    />
  )
}

/** A building is typed or selected; an unknown name is an error. */
function BuildingField({ form, names }: { form: ReturnType<typeof useGroupForm>; names: string[] }) {
  const { inputRef, value, change, leave, error } = useField({ form, name: 'building' })
  return (
    <Autocomplete
      label="Building"
      placeholder="Choose a building"
      data={[...new Set(names)]}
      ref={inputRef}
      value={textOf(value)}
      onChange={change}
      onBlur={leave}
      error={error}
    />
  )
}

interface LightsProps {
  ownName: string
  building: string
  shown: ReturnType<typeof chosenLights>
  floors: readonly Floor[]
  state: { isError: boolean; isLoading: boolean; refetch: () => unknown }
  preview:
    | {
        conflicts: { deviceId: string; groupName: string; testDate: string; duration: number }[]
        t180: { from: string; to: string } | null
        night: Parameters<typeof Collisions>[0]['night']
        freeStarts: string[]
      }
    | undefined
  onTurn: (deviceIds: readonly string[], isChosen: boolean) => void
  onStart: (start: string) => void
}

/** One selection, in the list and on the map. */
function Lights({ ownName, building, shown, floors, state, preview, onTurn, onStart }: LightsProps) {
  const [tab, setTab] = useState<'devices' | 'collisions'>('devices')
  const [pointed, setPointed] = useState<string>()
  const [floor, setFloor] = useState<string>()
  const used = floors.filter((one) => shown.some((light) => light.floor === one.floor))
  const here = floor ?? used.find(({ number }) => number >= 0)?.floor ?? used[0]?.floor
  const collisions = shown.filter(({ conflict }) => conflict).length
  const point = (deviceId: string) => {
    setPointed(deviceId)
    const light = shown.find((one) => one.deviceId === deviceId)
    if (light?.floor) setFloor(light.floor)
  }
  const list = { lights: shown, pointed, onPoint: point, onTurn }
  if (!building) return <p className={classes.hint}>Choose a building to see its lights.</p>
  if (state.isError) return <Failed onRetry={() => void state.refetch()} />
  if (state.isLoading) return <Loader size="sm" />
  return (
    <div className={classes.lights}>
      <div className={classes.listSide}>
        <div className={classes.tabs} role="tablist">
          {(['devices', 'collisions'] as const).map((one) => (
            <button key={one} type="button" role="tab" aria-selected={tab === one} onClick={() => setTab(one)}>
              {one === 'devices' ? 'Devices' : 'Collisions'}
              <span data-hit={(one === 'collisions' && (collisions > 0 || preview?.night)) || undefined}>
                {one === 'devices' ? shown.length : collisions || (preview?.night ? '!' : 0)}
              </span>
            </button>
          ))}
        </div>
        {tab === 'devices' ? (
          <DeviceList {...list} />
        ) : (
          <Collisions
            {...list}
            ownName={ownName}
            t180={preview?.t180 ?? null}
            conflicts={preview?.conflicts ?? []}
            night={preview?.night ?? null}
            freeStarts={preview?.freeStarts ?? []}
            onStart={onStart}
          />
        )}
      </div>
      <FloorMap {...list} building={building} floors={used} floor={here} onFloor={setFloor} />
    </div>
  )
}

/** The effect of Save, also on other groups. */
function Foot({ lights, night }: { lights: ReturnType<typeof chosenLights>; night: DarkNight | null }) {
  const { changes, leaving, untested } = summary(lights)
  const hit = lights.filter(({ membership, conflict }) => membership === 'addedToGroup' && conflict)
  return (
    <p className={classes.foot} role="status">
      <b>{changes}</b>
      <span>{leaving}</span>
      <span>{untested}</span>
      {hit.length > 0 && (
        <span data-hit>
          <IconAlertTriangleFilled size={14} aria-hidden />
          {hit.length === 1 ? '1 light already runs' : `${hit.length} lights already run`} a test with{' '}
          {[...new Set(hit.map(({ conflict }) => conflict!.groupName))].join(' and ')} at that time
        </span>
      )}
      {night && (
        <span data-hit>
          <IconAlertTriangleFilled size={14} aria-hidden />
          All {night.lights} lights of {night.buildingName} would be tested at once
        </span>
      )}
    </p>
  )
}
