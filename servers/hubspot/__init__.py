"""HubSpot: the CRM API's objects, search, associations, properties, pipelines, owners and lists."""
