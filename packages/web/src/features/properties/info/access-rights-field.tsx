import { useQuery } from '@tanstack/react-query'
import type { Property } from '@caretaker/contract/properties.ts'
import { setPropertyAccessRightsTag } from '@caretaker/contract/calls/properties.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { accessRightsTagsQuery } from '../../../api/tags.ts'
import { InlineSelect } from '../../../ui/forms/inline-controls.tsx'
import type { InlineControl } from '../../../ui/forms/inline-edit.tsx'
import { InlineField } from '../../../ui/forms/inline-edit.tsx'
import { usePropertyEdit } from '../queries.ts'

const none = { value: '', label: 'None' }

const chosenAmong = (data: { value: string; label: string }[]) => (control: InlineControl) => (
  <InlineSelect control={control} data={data} />
)

/** The access rights tag of a property: restricted users with this tag see it. */
export function AccessRightsField({ property }: { property: Property }) {
  const actor = useActor()
  const { tenant } = actor
  const { propertyId, version, accessRightsTag: tag } = property
  const { edit } = usePropertyEdit(property)
  const isEditable = can(actor, 'set access rights tag of property', { accessRightsTags: tag ? [tag.id] : [] })
  const tags = useQuery({ ...accessRightsTagsQuery(tenant), enabled: isEditable }).data ?? []
  const data = [none, ...tags.map(({ id, displayName }) => ({ value: id, label: displayName }))]
  return (
    <InlineField
      label="Access rights tag"
      {...(isEditable && {
        edit: {
          value: tag?.id ?? none.value,
          control: chosenAmong(data),
          fault: () => undefined,
          staysOpen: true,
          save: (value: string) =>
            edit(
              call(setPropertyAccessRightsTag, {
                params: { tenant, propertyId },
                body: { accessRightsTagId: value || null, version },
              }),
            ),
        },
      })}
    >
      {tag?.displayName}
    </InlineField>
  )
}
