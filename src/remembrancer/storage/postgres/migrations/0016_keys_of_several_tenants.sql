-- Further tenants that an access key opens, with a line break before and after each name; '' for a key of one tenant.
ALTER TABLE remembrancer_ops.access_keys ADD COLUMN tenants text NOT NULL DEFAULT '';
