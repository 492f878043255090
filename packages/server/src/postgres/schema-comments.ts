import type { Tables } from './schema.ts'

/**
 * Facts that the names of tables and columns cannot give: reasons, units, invariants. `npm run schema` copies them into
 * schema.ts and docs/schema.md.
 */
export const comments: {
  [Table in keyof Tables]?: { table?: string; columns?: { [Column in keyof Tables[Table]]?: string } }
} = {
  tenant: {
    columns: {
      removal_began_at: 'Deletion of all rows of the client began then.',
    },
  },
  tenant_removal: {
    table: 'Removals of clients, kept after the client is gone; `client` is the tenant.',
  },
  connection_route: {
    table: 'The tenant of each connection, found by the id in its webhook address, and the hash of its key.',
  },
  connection: {
    columns: {
      key_ending: 'The last four characters of the key, by which a user recognises it.',
      paths: 'The paths of the fields of a generic JSON message.',
      broker_secrets:
        'Password and private key; Caretaker sends them to the broker, so they cannot be stored as hashes.',
      downlink: 'Where set points are sent: an address, or a topic, and the JSON of a command.',
      downlink_token: 'The token for that address, encrypted with the key of the installation.',
    },
  },
  connection_activity: {
    columns: {
      usual_interval: 'No longer used: the intervals of the sensors count.',
      refused_text: 'Why the last unreadable message was refused.',
      broker_error: 'Why the broker cannot be reached; null while it can.',
    },
  },
  connection_hour: {
    table: 'Messages and errors of a connection by hour.',
    columns: {
      error: 'The reason for the errors; empty for the count of all messages.',
      detail: 'The newest of these errors, in a sentence.',
    },
  },
  sso_connection: {
    table: 'OpenID Connect providers with which the users of a client sign in.',
    columns: {
      client_secret: 'Encrypted with the key of the installation.',
      group_claim: 'The claim with the groups of a person.',
    },
  },
  sso_domain: {
    table: 'E-mail domains of a connection. The schema idp states which client owns a verified one.',
    columns: {
      proof: 'The text that the DNS record has to contain.',
      verified_by_operator: 'The record of such a domain is not checked.',
      fault: 'Why the last check did not find the record.',
      missing_since: 'Since when the record of a verified domain is missing.',
      next_check_at: 'When the record of a verified domain is checked next; null means now.',
    },
  },
  sso_member: {
    table: 'Members whom single sign-on has created: their role follows their groups at each sign-in.',
  },
  sensor: {
    table: 'Sensors of connections: new ones until they have a device.',
    columns: {
      device_key: 'DevEUI, IEEE address or name, unique within the connection.',
      usual_interval: 'Seconds between two messages, as a moving average.',
      last_values: 'The decoded values of the last message by path.',
    },
  },
  sensor_model: {
    columns: {
      compared_name: 'Maker and model in lower case.',
      active_codec: 'The version of the codec that decodes its messages; null while another decoder does.',
    },
  },
  sensor_message: {
    table: 'The last messages of each sensor, with the results of their decoding.',
    columns: {
      once_keys: 'Identifies a repeated uplink; null for a duplicate.',
      outcome: 'Stored readings, rejected values and unused paths.',
    },
  },
  group_access: {
    table: "The roles that groups of a client's directory give; the first matching row by `position` applies.",
  },
  scim_key: {
    table: 'Keys with which the directory of a client authenticates to provision users.',
  },
  scim_user: {
    table: 'Users that the directory of a client provisions.',
    columns: {
      compared_user_name: 'The normalised user name, for comparison.',
      name: 'The name that a member gets from the attributes.',
      email: 'The address that a member gets from the attributes; null if there is none.',
      attributes: 'The attributes of the resource, without those that have a column.',
      membership_id: 'The member of this user; null without access.',
      no_access: 'Why an active user has no role from a group, in a sentence.',
      keeps_role: 'Whether the member is from before, with a role that no group has decided.',
      blocked: 'Whether a manager removed the member, so that the directory gives no access.',
    },
  },
  scim_group: {
    columns: {
      compared_name: 'The normalised name, for comparison.',
    },
  },
  person: {
    columns: {
      removed_at: 'When the person was last removed from a client.',
    },
  },
  idempotency_key: {
    table:
      'Calls of the last 24 hours that can be repeated with the same Idempotency-Key, with their encrypted responses.',
    columns: {
      key_hash: 'SHA-256 of the key: the key itself decrypts the response.',
      status: 'Null while the call runs, or if it ended without a result.',
      response: 'Encrypted with the key; null if the response contains a secret or is too large.',
    },
  },
  throttle: {
    table: 'Attempts since a time; `key` is a digest.',
  },
  process_figure: {
    table: 'Figures that only the process itself knows, and when it reported them.',
  },
  claimant: {
    table: 'Running worker processes, by the number with which they claim work.',
  },
  membership: {
    columns: {
      start_view_id: 'The view that the next sign-in opens; null for the Dashboard.',
    },
  },
  building: {
    columns: {
      compared_name: 'The name as normalised by the rules for comparison; null until it is next saved.',
    },
  },
  property: {
    columns: {
      gas_check_after: 'The deadline that the last check met, whose date the next one keeps.',
      gas_check_due_at: 'The first instant of the day; that of its first appliance due, or of the stated check.',
      gas_check_state:
        'The state of its gas checks, written by `storeCheckStates` only; null where nothing is to be checked.',
      gas_certificate: 'The number of the certificate of the last check; null where the date was only entered.',
      compliance_turns_at: 'When one of these states next changes through the passing of time.',
      compliance_facts: 'A hash of the facts from which the states were computed.',
      heating_state: 'The state of its heating, which a job keeps; null where no heating device is connected.',
      awaabs_law_late_at: 'When the deadline counts as missed: the end of the day, or the hour of an emergency.',
      damp_level:
        'The worst level of its rooms at the last assessment; `damp_rank` is the same as a number for sorting.',
      device_status: 'The worst status of its devices, which a job keeps; null without devices.',
      status_set:
        'The statuses of its devices, which a job keeps (`features/properties/refresh-statuses.ts`); null without devices.',
      tag_set: 'The tags of its devices (`features/properties/tags.ts`); null until a job has computed them.',
      building_id: 'The building of the property itself, with or without devices.',
      address: 'The address in one line.',
      search_form: 'Reference, address and postcode normalised for search (`rules/texts/search-form.ts`).',
    },
  },
  data_import: {
    columns: {
      content: 'The uploaded file; after the import the workbook of the rejected rows, if there are any.',
    },
  },
  report_month: {
    table: 'Months whose figures are stored.',
  },
  report_schedule: {
    columns: {
      recipient_ids: 'Members who receive the report in addition to its owner.',
    },
  },
  report_run: {
    columns: {
      sheets: 'Buildings and days of inspection sheets.',
    },
  },
  awaabs_law_step: {
    columns: {
      corrects: 'The step whose date this one corrects.',
      takes_back: 'The entry that this one withdraws.',
    },
  },
  awaabs_law_hazard: {
    table: 'The first day on which the law covers a hazard, and its source: a setting of the installation.',
  },
  awaabs_law_case: {
    table: 'Derived from the steps (`features/properties/awaabs-law.ts`).',
    columns: {
      id: 'The id of the step that opened the case.',
    },
  },
  device: {
    columns: {
      is_roughly_placed: 'Placed on the plan automatically and not confirmed yet.',
      gas_due_at: 'Derived from its compliance records by `recomputeCompliance` only: the first instant of the day.',
      building_name: 'This and the columns up to `postcode` are copies of the place, written by `refreshPlaces` only.',
      status_reason: 'The reason for the status in a few words; written with the status only.',
      connection_at: 'When `connection_status` last changed; null where that is not known.',
      last_full_test_at: 'Start of the last 3-hour test with a result.',
      serial_folded: 'This and the other `_folded` columns are texts in lower case.',
      search_form: 'All texts but the address normalised for search (`rules/texts/search-form.ts`).',
    },
  },
  condition: {
    table: 'The conditions that give a device its status; written by `features/conditions` only.',
  },
  tag_set: {
    table: 'The tags of each `property.tag_set`.',
  },
  status_set: {
    table: 'The statuses of each `property.status_set`: the worst one by product and access rights tag, worst first.',
  },
  device_route: {
    columns: {
      key_made_at: 'Null without a key, and for keys older than this column.',
      mosquitto_hash: "For mosquitto's password file; null without a key, and for keys older than this column.",
      uninstalled_at: 'Set until the device is installed again.',
    },
  },
  device_link: {
    columns: {
      connected_at: 'Start of its last connection of its own, without a gateway.',
    },
  },
  series: {
    columns: {
      metric: 'A known metric, or the raw name of an extra series.',
      held: 'Readings of a counter that deviate and are decided with the next ones: time in ms and value.',
    },
  },
  emergency_test: {
    columns: {
      told_result: 'The result that the light reported: evidence only, the rules decide.',
      judged: 'The result of the rule before a correction; null without one.',
      lit: 'How long the lamp was lit; null for function tests, without a measurement, and for tests from earlier versions.',
      reported_start_at:
        'The start by the clock of the light where that clock was wrong; `started_at` is then the time of receipt.',
      changes: 'Decisions of people about the result, oldest first; null without any.',
      disputed: 'The result that a disputed test counts as until a decision; null where it is not disputed.',
    },
  },
  emergency_equipment: {
    table: 'The equipment of an emergency light; null where it was not entered.',
    columns: {
      battery_voltage: 'V',
      battery_capacity: 'Ah',
      battery_installed: 'Queries read it as text.',
    },
  },
  command: {
    columns: {
      late_answer: 'The reply of the device after the command had expired or failed.',
    },
  },
  repair_form: {
    columns: {
      repaired_on: 'YYYY-MM-DD',
      replaced: 'Models and numbers of the parts; null for forms from earlier versions.',
      repaired_time: 'HH:MM',
      battery_fitted_on: 'YYYY-MM-DD',
      request_id: 'The id that the browser gave the form, so that a repeated request adds nothing.',
    },
  },
  bad_message: {
    columns: {
      parts: 'Each invalid part with its path; empty for messages from earlier versions.',
      is_partial: 'The valid rest of the message is stored.',
    },
  },
  refused_message: {
    columns: {
      field: 'The field for which the newest message was rejected; null where the whole message was.',
    },
  },
  standard_luminaire: {
    columns: {
      battery_voltage: 'V',
      battery_capacity: 'Ah',
    },
  },
  light_group: {
    columns: {
      t180_start: 'In the time zone of the client.',
      version: 'Grows with each change; a change names the version that it is based on.',
      planned_until: 'Runs up to this time exist as rows.',
    },
  },
  test_run: {
    columns: {
      repeats: 'The yearly test that this run repeats for the lights that missed it.',
    },
  },
  alert_definition: {
    columns: {
      tag_id: 'The tag of a rule that covers exactly one tag; null where the three `scope_` lists apply.',
    },
  },
  device_spell: {
    table: 'Intervals in which a fact held for a device; written by `features/alerts/observe` only.',
  },
  home_spell: {
    table:
      'Intervals in which a fact held for a property; `about` distinguishes several with one key, such as deadlines.',
  },
  alert: {
    table:
      'An interval in which a rule held for a device or a property (exactly one is set); written by `features/alerts/engine` only.',
    columns: {
      about: 'The case and step of a deadline, where several facts of a property share one key.',
    },
  },
  alert_progress: {
    columns: {
      known_since: 'When recording of an event began, where that is later than the start.',
      homes_since:
        'Start of the separate history of properties; null until the history stored with their devices has been copied.',
    },
  },
  bulk_action: {
    columns: {
      settings: 'Settings for lights, or the reason for archiving properties; null for other actions.',
    },
  },
  bulk_item: {
    columns: {
      had_before: 'Values that undoing restores in addition to tags.',
    },
  },
  change: {
    table: 'Written by `changed` only and read by the feed only.',
    columns: {
      spans: 'For new readings: first and last time of each id in ms, one pair after the other.',
    },
  },
  compliance_record: {
    columns: {
      device_id: 'The boiler control; null for an appliance without a device.',
      is_draft: 'Waits for its certificate and does not count before.',
      shared_with: 'The record of another property with the same certificate.',
    },
  },
  document: {
    columns: {
      location: 'The location in the property.',
    },
  },
}
