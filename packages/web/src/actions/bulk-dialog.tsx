import { useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { startBulkAction } from '@caretaker/contract/calls/actions.ts'
import type { BulkAction } from '@caretaker/rules/actions/actions.ts'
import { watchedLimit } from '@caretaker/rules/actions/actions.ts'
import type { LightSettings } from '@caretaker/rules/actions/light-settings.ts'
import { isLightAction, settingsFault } from '@caretaker/rules/actions/light-settings.ts'
import { useActor } from '../api/actor.ts'
import { call } from '../api/call.ts'
import { accessRightsTagsQuery, tagsQuery } from '../api/tags.ts'
import { useToday } from '../ui/age-view.tsx'
import { CancelButton, Dialog, dangerous, questionWidth } from '../ui/dialog.tsx'
import { BulkJobDialog } from './bulk-job-dialog.tsx'
import type { WatchedAction } from './bulk-plans.ts'
import { bulkWords, isAccessRightsAction, isTagAction } from './bulk-plans.ts'
import { BulkProgressDialog } from './bulk-progress-dialog.tsx'
import { LightFields } from './light-fields.tsx'
import type { Picked } from './picked.ts'
import { selectionOf } from './picked.ts'
import { devices as devicesText } from './tag-changes.ts'
import { AccessRightsPicker, CarriedTagPicker, TagPicker } from './tag-picker.tsx'

export interface BulkDialogProps {
  action: BulkAction
  picked: Picked
  /** The number of devices. */
  count: number
  /** `done` is true if an action was started. */
  onClose: (done: boolean) => void
}

/** Asks for the details of a bulk action, runs it and shows the result of each device. */
export function BulkDialog({ action, picked, count, onClose }: BulkDialogProps) {
  const [tags, setTags] = useState<string[]>([])
  const [settings, setSettings] = useState<LightSettings>({})
  const [begun, setBegun] = useState(false)
  const { tenant } = useActor()
  const today = useToday()
  const names = useTagNames(action, tags)
  if (begun) {
    const common = { tags, names, onClose: () => onClose(true) }
    return 'devices' in picked && count <= watchedLimit && !isLightAction(action) ? (
      <BulkProgressDialog action={action} devices={picked.devices} {...common} />
    ) : (
      <BulkJobDialog
        {...{ action, count, names }}
        title={bulkWords[action].title}
        begin={() => {
          const body = { tenant, action, selection: selectionOf(picked), tags: [...tags], settings }
          return call(startBulkAction, { body })
        }}
        onClose={() => onClose(true)}
      />
    )
  }
  const { title, verb } = bulkWords[action]
  // Removing access rights tags removes all of them; other tag actions need a selection of tags.
  const needsTags = isTagAction(action) || action === 'add access rights tags'
  return (
    <Dialog
      size={questionWidth}
      title={title(count)}
      onClose={() => onClose(false)}
      actions={
        <>
          <CancelButton />
          <Button
            disabled={(needsTags && tags.length === 0) || settingsFault(action, settings, today) !== undefined}
            onClick={() => setBegun(true)}
            {...(action === 'uninstall' ? { style: dangerous } : {})}
          >
            {verb}
          </Button>
        </>
      }
    >
      {isLightAction(action) ? (
        <LightFields action={action} settings={settings} onChange={setSettings} />
      ) : (
        <Question action={action} picked={picked} count={count} tags={tags} onTags={setTags} />
      )}
    </Dialog>
  )
}

interface QuestionProps {
  action: WatchedAction
  picked: Picked
  count: number
  tags: string[]
  onTags: (tags: string[]) => void
}

function Question({ action, picked, count, tags, onTags }: QuestionProps): ReactNode {
  const them = count === 1 ? 'it' : 'them'
  switch (action) {
    case 'remove tags':
      return <CarriedTagPicker label="Tags" picked={picked} chosen={tags} onChange={onTags} />
    case 'add tags':
      return <TagPicker label="Tags" chosen={tags} onChange={onTags} />
    case 'add access rights tags':
      return (
        <AccessRightsPicker
          label="Access rights tag"
          chosen={tags[0] ?? null}
          onChange={(id) => onTags(id === null ? [] : [id])}
        />
      )
    case 'remove access rights tags':
      return (
        <p>
          {devicesText(count)} will have no access rights tag, and people who carry one no longer see {them}.
        </p>
      )
    case 'flick test':
      return <p>A flick test is sent to {devicesText(count)}. The light goes to battery for a moment.</p>
    case 'join network':
      return <p>{devicesText(count)} will be asked to join the network.</p>
    case 'leave network':
      return (
        <p>{devicesText(count)} will be asked to leave the network, and cannot be reached until they join again.</p>
      )
    case 'uninstall':
      return (
        <p>
          {devicesText(count)} will return to inventory, and all data of {them} is permanently removed: readings,
          events, test results, notes and records. This cannot be undone. Messages are refused until the devices are
          installed again.
        </p>
      )
  }
}

function useTagNames(action: BulkAction, ids: readonly string[]): string[] {
  const { tenant } = useActor()
  const tags = useQuery({ ...tagsQuery(tenant), enabled: isTagAction(action) }).data?.tags
  const rights = useQuery({ ...accessRightsTagsQuery(tenant), enabled: isAccessRightsAction(action) }).data
  return ids.flatMap((id) => {
    const name = tags?.find((tag) => tag.id === id)?.name ?? rights?.find((tag) => tag.id === id)?.displayName
    return name === undefined ? [] : [name]
  })
}
