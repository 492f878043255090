import { useState } from 'react'
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { addProperty, findAddresses } from '@caretaker/contract/calls/properties.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { postcodeFault } from '@caretaker/rules/postcodes/postcode.ts'
import { propertyReferenceFault } from '@caretaker/rules/properties/details.ts'
import { usePresence } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { textsOf } from '../../../api/errors.ts'
import { lastListing } from '../../../api/last-listing.ts'
import { usePageTitle } from '../../../api/page-title.ts'
import { refreshTenant } from '../../../actions/refresh.ts'
import { Card } from '../../../ui/card.tsx'
import { DraftNote, Problems } from '../../../ui/dialog.tsx'
import { useDraft } from '../../../ui/draft.ts'
import { PageHead } from '../../../ui/page-head.tsx'
import classes from './estate.module.css'

const empty = { address1: '', address2: '', address3: '', town: '', county: '' }
const lines = [
  ['address1', 'Address line 1', 100],
  ['address2', 'Address line 2', 100],
  ['address3', 'Address line 3', 100],
  ['town', 'Town', 60],
  ['county', 'County', 60],
] as const

/** The form for a new property: reference and address, looked up by postcode or typed. */
export function AddHomePage() {
  const { actor, client } = usePresence()
  const { tenant } = actor
  usePageTitle('Add a property', client.displayName)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { values, change, isKept, clear } = useDraft(
    'home',
    { propertyReference: '', postcode: '', address: empty },
    { isPersonal: true },
  )
  const { propertyReference, postcode, address } = values
  const [asked, setAsked] = useState(false)
  const lookup = useMutation({
    mutationFn: (code: string) => call(findAddresses, { query: { tenant, postcode: code } }),
  })
  const save = useMutation({
    mutationFn: async () => {
      const { latitude = null, longitude = null } = lookup.data ?? {}
      const body = {
        propertyReference: propertyReference.trim(),
        ...address,
        postcode: postcode.trim(),
        latitude,
        longitude,
      }
      return call(addProperty, { params: { tenant }, body })
    },
    onSuccess: async ({ propertyId }) => {
      clear()
      void refreshTenant(queries, tenant)
      await navigate({ href: pathTo(tenant, 'Properties', propertyId, 'info'), replace: true })
    },
  })
  const faults = {
    reference: propertyReferenceFault(propertyReference),
    address: address.address1.trim() === '' ? 'Address line 1 is required' : undefined,
    postcode: postcodeFault(postcode),
  }
  const shown = (fault: string | undefined) => (asked ? fault : undefined)
  const submit = () => {
    setAsked(true)
    if (!Object.values(faults).some(Boolean) && !save.isPending) save.mutate()
  }
  const found = lookup.data?.addresses ?? []
  return (
    <>
      <PageHead back={{ href: lastListing(tenant, 'Properties'), label: 'Properties' }} title="Add a property" />
      <form
        className={classes.page}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <Card title="New property">
          <div className={classes.form}>
            <TextInput
              label="Property REF"
              description="Your own reference. Optional."
              value={propertyReference}
              error={faults.reference}
              onChange={(event) => change({ propertyReference: event.currentTarget.value })}
            />
            <TextInput
              label="Postcode"
              autoComplete="off"
              value={postcode}
              error={shown(faults.postcode)}
              onChange={(event) => {
                change({ postcode: event.currentTarget.value })
                lookup.reset()
              }}
            />
            <Button
              variant="default"
              disabled={faults.postcode !== undefined || lookup.isPending || lookup.isSuccess}
              loading={lookup.isPending}
              onClick={() => lookup.mutate(postcode.trim())}
            >
              Find address
            </Button>
            {lookup.isSuccess &&
              (found.length > 0 ? (
                <NativeSelect
                  label="Addresses of this postcode"
                  onChange={(event) => {
                    const one = found[Number(event.currentTarget.value)]
                    if (!one) return
                    const { line1: address1, line2: address2, line3: address3, town, county } = one
                    change({ address: { address1, address2, address3, town, county } })
                  }}
                  data={[
                    { value: '', label: 'Choose or type the address below' },
                    ...found.map(({ line1, line2, line3, town }, at) => ({
                      value: String(at),
                      label: [line1, line2, line3, town].filter(Boolean).join(', '),
                    })),
                  ]}
                />
              ) : (
                <p className={classes.hint} role="status">
                  No addresses found for this postcode. Type the address below.
                </p>
              ))}
            {lines.map(([name, label, most]) => (
              <TextInput
                key={name}
                label={label}
                autoComplete="off"
                maxLength={most}
                value={address[name]}
                error={name === 'address1' && shown(faults.address)}
                onChange={(event) => change({ address: { ...address, [name]: event.currentTarget.value } })}
              />
            ))}
            <Problems texts={save.error ? textsOf(save.error) : lookup.isError ? ['Something went wrong!'] : []} />
            <div className={classes.buttons}>
              {isKept && <DraftNote onDiscard={clear} />}
              <Button type="submit" loading={save.isPending}>
                Add this property
              </Button>
            </div>
          </div>
        </Card>
      </form>
    </>
  )
}
