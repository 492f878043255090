import { useState } from 'react'
import { ActionIcon, Select } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { IconPlus, IconX } from '../icons/index.ts'
import { addTagToDevice, removeTagFromDevice, updateDeviceTags } from '@caretaker/contract/calls/actions.ts'
import type { Device } from '@caretaker/contract/devices.ts'
import type { Tag } from '@caretaker/contract/tags.ts'
import { isRestricted } from '@caretaker/rules/devices/rights.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../api/actor.ts'
import { call } from '../api/call.ts'
import { tagsQuery } from '../api/tags.ts'
import { showSuccess } from '../ui/toasts.tsx'
import { refreshTenant } from './refresh.ts'
import { requestSuccessful, showFailure } from './tag-changes.ts'
import { targetOfDevice } from './target.ts'
import { undoable } from './undo.ts'
import classes from './device-tags.module.css'

/** The tags of a device, editable for users who manage tags. */
export function DeviceTags({ device }: { device: Device }) {
  const actor = useActor()
  const { tenant } = actor
  const { deviceId } = device
  const target = targetOfDevice(device)
  const mayTag = can(actor, 'tag device', target) && !isRestricted(target)
  const queryClient = useQueryClient()
  const refresh = () => refreshTenant(queryClient, tenant)
  const former = target.tags.map(({ id }) => id)
  const takeBack = async () => {
    try {
      await call(updateDeviceTags, { body: { tenant, deviceId, tagIds: former } })
      showSuccess('The change was undone.')
    } catch (error) {
      showFailure(error)
    }
    await refresh()
  }
  const change = useMutation({
    mutationFn: ({ tag, to }: { tag: Tag; to: 'add' | 'remove' }) =>
      call(to === 'add' ? addTagToDevice : removeTagFromDevice, { body: { tenant, deviceId, tagId: tag.id } }),
    onSuccess: () =>
      showSuccess(
        requestSuccessful,
        undoable(() => void takeBack()),
      ),
    onError: showFailure,
    onSettled: refresh,
  })
  if (!mayTag && target.tags.length === 0) return <span className={classes.unset}>Not set</span>
  if (!mayTag) return <TagChips tags={target.tags} />
  return (
    <TagChips
      tags={target.tags}
      onRemove={(tag) => change.mutate({ tag, to: 'remove' })}
      busy={change.isPending}
      add={<AddTag carried={former} onAdd={(tag) => change.mutate({ tag, to: 'add' })} busy={change.isPending} />}
    />
  )
}

interface TagChipsProps {
  tags: readonly Tag[]
  onRemove?: (tag: Tag) => void
  busy?: boolean
  add?: React.ReactNode
}

function TagChips({ tags, onRemove, busy = false, add }: TagChipsProps) {
  return (
    <span className={classes.tags}>
      {tags.map((tag) => (
        <span key={tag.id} className={classes.tag} data-tag={tag.name}>
          {tag.name}
          {onRemove && (
            <button
              type="button"
              className={classes.remove}
              aria-label={`Remove tag ${tag.name}`}
              title="Remove"
              disabled={busy}
              onClick={() => onRemove(tag)}
            >
              <IconX size={14} aria-hidden />
            </button>
          )}
        </span>
      ))}
      {add}
    </span>
  )
}

/** Offers the tags that the device does not have yet. */
function AddTag({ carried, onAdd, busy }: { carried: readonly string[]; onAdd: (tag: Tag) => void; busy: boolean }) {
  const { tenant } = useActor()
  const [choosing, setChoosing] = useState(false)
  const { data } = useQuery({ ...tagsQuery(tenant), enabled: choosing })
  if (!choosing)
    return (
      <ActionIcon
        variant="default"
        size={26}
        aria-label="Add tag"
        title="Add tag"
        disabled={busy}
        onClick={() => setChoosing(true)}
      >
        <IconPlus size={16} aria-hidden />
      </ActionIcon>
    )
  const free = data?.tags.filter(({ id }) => !carried.includes(id)) ?? []
  return (
    <Select
      aria-label="Tag to add"
      className={classes.choice}
      autoFocus
      defaultDropdownOpened
      searchable
      data={free.map(({ id, name }) => ({ value: id, label: name }))}
      placeholder="Choose a tag"
      nothingFoundMessage={data ? 'No more tags' : 'Loading…'}
      comboboxProps={{ withinPortal: true }}
      onDropdownClose={() => setChoosing(false)}
      onChange={(id) => {
        const tag = free.find((one) => one.id === id)
        setChoosing(false)
        if (tag) onAdd(tag)
      }}
    />
  )
}
