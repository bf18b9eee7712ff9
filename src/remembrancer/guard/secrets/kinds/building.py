"""Keys of code: where it is kept, built, packed and planned."""

import re

from remembrancer.guard.secrets.shape import always, is_made, is_no_placeholder, kind, shape
from remembrancer.guard.secrets.values import SAMPLE_WORD


def _is_lone(match: re.Match[str]) -> bool:
    # What begins with one letter and a dot is code as a rule, with a capital for each word.
    drawn = match["secret"][2:]
    capitals, small = sum(map(str.isupper, drawn)), sum(map(str.islower, drawn))
    return is_made(match) and min(capitals, small) >= _LEAST_OF_A_CASE and SAMPLE_WORD.search(drawn) is None


_LEAST_OF_A_CASE = 5

KINDS = (
    kind(
        "github-token",
        "ghp_, gho_, ghu_, ghs_ or ghr_ and 36 letters and digits; github_pat_ and 82",
        shape("ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9_]{30,}"),
        shape("github_pat_", r"github_pat_[A-Za-z0-9_]{20,}"),
        examples=("use «ghp_{a36}» now", "«ghs_{a36}»", "https://«github_pat_{a22}_{a59}»@git.test/a.git"),
        near=("ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "the ghp_ prefix"),
    ),
    kind(
        "gitlab-token",
        "glpat- and its sisters and 20 or more; GR1348941 and 20",
        shape(
            "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct- glwt-",
            r"gl(?:pat|dt|rtr?|cbt|ptt|ft|imt|agent|oas|soat|ffct|wt)-[A-Za-z0-9_=.-]{15,}[A-Za-z0-9_=-]",
        ),
        shape("gr1348941", r"GR1348941[\w-]{20,}", always),
        examples=("«glpat-{a20}»", "«glrt-{a20}»", "«GR1348941{a20}»"),
        near=("glpat-xxxxxxxxxxxxxxxxxxxx", "gluten-free"),
    ),
    kind(
        "bitbucket-password",
        "ATBB and 32 letters and digits",
        shape("atbb", r"ATBB[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
        examples=("git clone https://ana:«ATBB{a32}»@bitbucket.test/a", "app password «ATBB{a32}»"),
        near=("ATBB is the prefix",),
    ),
    kind(
        "atlassian-token",
        "ATATT3 or ATCTT3 and 150 or more of base64",
        shape("atatt3 atctt3", r"AT[AC]TT3[A-Za-z0-9_=-]{100,}"),
        examples=("Jira: «ATATT3{w186}»",),
        near=("ATATT3xFf",),
    ),
    kind(
        "npm-token",
        "npm_ and 36 letters and digits; :_authToken= of an .npmrc",
        shape("npm_", r"npm_[A-Za-z0-9]{30,}"),
        shape(
            ":_auth :_password",
            r":_(?:authToken|auth|password)\s{0,2}=\s{0,2}[\"']?(?P<secret>[^\s\"'${]{6,})",
            is_no_placeholder,
        ),
        examples=("«npm_{a36}»", "//registry.test/:_authToken=«{x8}-{x4}-{x12}»"),
        near=("npm_config_cache=/x", "//registry.test/:_authToken=${NPM_TOKEN}"),
    ),
    kind(
        "pypi-token",
        "pypi-Ag and a macaroon in base64",
        shape("pypi-ag", r"pypi-Ag[A-Za-z0-9_-]{14,}={0,2}", always),
        examples=("«pypi-AgEIcHlwaS5vcmc{w80}»",),
        near=("pypi-agent",),
    ),
    kind(
        "rubygems-key",
        "rubygems_ and 48 hexadecimal digits",
        shape("rubygems_", r"rubygems_[0-9a-f]{48}(?![0-9a-f])"),
        examples=("«rubygems_{x48}»",),
        near=("rubygems_mirror",),
    ),
    kind(
        "crates-token",
        "cio and 32 letters and digits",
        shape("cio", r"cio[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
        examples=("cargo login «cio{a32}»",),
        near=("socioeconomic", "cio.example.test"),
    ),
    kind(
        "nuget-key",
        "oy2 and 43 small letters and digits",
        shape("oy2", r"oy2[a-z0-9]{43}(?![a-z0-9])"),
        examples=("dotnet nuget push -k «oy2{l43}»",),
        near=("oy2 is short",),
    ),
    kind(
        "clojars-token",
        "CLOJARS_ and 60 letters and digits",
        shape("clojars_", r"CLOJARS_[a-z0-9]{60}(?![a-z0-9])"),
        examples=("«CLOJARS_{l60}»",),
        near=("CLOJARS_USERNAME",),
    ),
    kind(
        "jfrog-key",
        "AKCp and 69 letters and digits; cmVmd and 59",
        shape("akcp", r"AKCp[A-Za-z0-9]{69}(?![A-Za-z0-9])"),
        shape("cmvmd", r"cmVmd[A-Za-z0-9]{59}(?![A-Za-z0-9])"),
        examples=("X-JFrog-Art-Api: «AKCp{a69}»", "«cmVmd{a59}»"),
        near=("AKCp7",),
    ),
    kind(
        "docker-token",
        "dckr_pat_ or dckr_oat_ and 27 or more",
        shape("dckr_", r"dckr_[po]at_[\w-]{27,}"),
        examples=("«dckr_pat_{w27}»",),
        near=("dckr_pat_ is its prefix",),
    ),
    kind(
        "circleci-token",
        "CCIPAT_ or CCIPRJ_ and an id and 40 hexadecimal digits",
        shape("ccip", r"CCIP(?:AT|RJ)_[A-Za-z0-9]{20,24}_[0-9a-f]{40}"),
        examples=("«CCIPAT_{a22}_{x40}»",),
        near=("CCIPAT_docs",),
    ),
    kind(
        "buildkite-token",
        "bkua_ and 40 hexadecimal digits",
        shape("bkua_", r"bkua_[0-9a-f]{40}(?![0-9a-f])"),
        examples=("«bkua_{x40}»",),
        near=("bkua_team",),
    ),
    kind(
        "terraform-token",
        "14 letters and digits, .atlasv1. and 60 or more",
        shape(
            ".atlasv1.",
            r"(?<![A-Za-z0-9])(?P<secret>[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,70})",
            everywhere=True,
        ),
        examples=("token = «{a14}.atlasv1.{w67}»",),
        near=("see x.atlasv1.example",),
    ),
    kind(
        "pulumi-token",
        "pul- and 40 hexadecimal digits",
        shape("pul-", r"pul-[0-9a-f]{40}(?![0-9a-f])"),
        examples=("«pul-{x40}»",),
        near=("pul-over",),
    ),
    kind(
        "vault-token",
        "hvs., hvb. or hvr. and 24 or more; s. and 24 letters and digits; b. and 24 after the word Vault",
        shape("hvs. hvb. hvr.", r"hv[sbr]\.[\w-]{24,}"),
        shape("vault", r"(?i:vault)\w{0,8}[^\n]{0,24}?[\s:=\"'](?P<secret>[sb]\.[A-Za-z0-9]{24})(?![A-Za-z0-9])"),
        shape("s.", r"(?<![\w.$)\]/-])(?P<secret>s\.[A-Za-z0-9]{24})(?![\w.(=-])", _is_lone),
        examples=("«hvs.{w96}»", "VAULT_TOKEN=«s.{a24}»", "vault login «s.{a24}»", "it was «s.{a24}» before"),
        near=(
            "hvs.example.test",
            "vault s.3 of the house",
            "s.getElementByIdOrThrowError",
            "s.isConnectedToServer2026v2",
        ),
    ),
    kind(
        "doppler-token",
        "dp.pt., dp.st., dp.ct., dp.sa. or dp.scim. and 40 or more",
        shape("dp.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]{2,35}\.)?[A-Za-z0-9]{40,44}(?![A-Za-z0-9])"),
        examples=("«dp.pt.{a43}»", "«dp.st.dev.{a43}»"),
        near=("dp.pt.example",),
    ),
    kind(
        "onepassword-token",
        "ops_eyJ and base64; A3- and groups of capitals",
        shape("ops_eyj", r"ops_eyJ[\w+/-]{100,}={0,3}"),
        shape("a3-", r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}"),
        examples=("«ops_eyJ{w250}»", "secret key «A3-{U6}-{U6}-{U5}-{U5}-{U5}-{U5}»"),
        near=("A3-PAPER", "ops_eyJ"),
    ),
    kind(
        "age-key",
        "AGE-SECRET-KEY-1 and 58 of bech32",
        shape("age-secret-key-1", r"AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}", always),
        examples=("# created\n«AGE-SECRET-KEY-1{B58}»",),
        near=("AGE-SECRET-KEY-1 is how it begins", "age1qz"),
    ),
    kind(
        "sonar-token",
        "sqp_, squ_ or sqa_ and 40 hexadecimal digits",
        shape("sqp_ squ_ sqa_", r"sq[pua]_[0-9a-f]{40}(?![0-9a-f])"),
        examples=("sonar.login=«squ_{x40}»",),
        near=("sqp_model",),
    ),
    kind(
        "sourcegraph-token",
        "sgp_ and 40 hexadecimal digits, or an instance between",
        shape("sgp_", r"sgp_(?:[0-9a-fA-F]{16}_|local_)?[0-9a-fA-F]{40}(?![0-9a-fA-F])"),
        examples=("«sgp_{x16}_{x40}»",),
        near=("sgp_index",),
    ),
    kind(
        "postman-key",
        "PMAK- and 24 and 34 hexadecimal digits",
        shape("pmak-", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
        examples=("«PMAK-{x24}-{x34}»",),
        near=("PMAK-test",),
    ),
    kind(
        "jetbrains-token",
        "perm: or perm-, perhaps two parts in base64, each with a dot, and 20 or more letters and digits",
        shape("perm: perm-", r"perm[:-](?:[A-Za-z0-9+/_-]{2,64}={0,2}\.){0,2}[A-Za-z0-9+/_-]{20,}={0,2}"),
        examples=("«perm:cm9vdA==.{a12}==.{a30}»", "«perm-cm9vdA.{a6}.{a30}»", "«perm:{a48}»"),
        near=("perm:read.users", "perm-administrators.editors.visitors_of_the_site", "perm: s.{x8}"),
    ),
    kind(
        "linear-key",
        "lin_api_ or lin_oauth_ and 40 letters and digits",
        shape("lin_", r"lin_(?:api|oauth)_[A-Za-z0-9]{40,64}(?![A-Za-z0-9])"),
        examples=("«lin_api_{a40}»",),
        near=("lin_api_docs",),
    ),
    kind(
        "notion-token",
        "ntn_ and 46 letters and digits; secret_ and 43",
        shape("ntn_", r"ntn_[A-Za-z0-9]{40,50}(?![A-Za-z0-9])"),
        shape("secret_", r"secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])"),
        examples=("«ntn_{a46}»", "«secret_{a43}»"),
        near=("secret_santa", "ntn_list"),
    ),
    kind(
        "figma-token",
        "figd_, figu_ or figo_ and 40 or more",
        shape("figd_ figu_ figo_", r"fig[duor]h?_[\w-]{40,}"),
        examples=("«figd_{w40}»",),
        near=("figd_frame",),
    ),
    kind(
        "airtable-token",
        "pat and 14 letters and digits, a dot and 64 hexadecimal digits",
        shape("pat", r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}(?![0-9a-f])"),
        examples=("«pat{a14}.{x64}»",),
        near=("patch.diff", "path.{x64}"),
    ),
    kind(
        "asana-token",
        "1/ or 2/ and 15 digits or more, perhaps more digits, a colon and 32 hexadecimal digits",
        shape("1/ 2/", r"(?<![\w/.])(?P<secret>[12]/\d{13,20}(?:/\d{13,20})?:[0-9a-f]{32})(?![0-9a-f])"),
        examples=("«1/{d16}:{x32}»", "«2/{d16}/{d16}:{x32}»"),
        near=("1/12:30",),
    ),
    kind(
        "databricks-token",
        "dapi and 32 hexadecimal digits, perhaps a dash and a digit; dose and 32",
        shape("dapi dose", r"d(?:api|ose)[0-9a-f]{32}(?:-\d)?(?![0-9a-f])"),
        examples=("«dapi{x32}-2»", "«dose{x32}»"),
        near=("dapi", "dosed"),
    ),
    kind(
        "contentful-token",
        "CFPAT- and 43",
        shape("cfpat-", r"CFPAT-[\w-]{43}"),
        examples=("«CFPAT-{w43}»",),
        near=("CFPAT-x",),
    ),
    kind(
        "readme-key",
        "rdme_ and 70 small letters and digits",
        shape("rdme_", r"rdme_[a-z0-9]{70}"),
        examples=("«rdme_{l70}»",),
        near=("rdme_page",),
    ),
)
